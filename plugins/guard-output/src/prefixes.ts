interface Node<T> {
  keys: { readonly key: string; readonly of: T }[]
  next: Map<string, Node<T>> | undefined
}

/** Keys below a beginning before they are told apart by one more character. */
const MOST = 8
const DEEPEST = 64
const NONE: readonly never[] = []
const BEGINNINGS = 1_024

/** By the first two characters, which every key has. */
const beginningAt = (chars: string, place: number): number =>
  (chars.charCodeAt(place) * 31 + chars.charCodeAt(place + 1)) & (BEGINNINGS - 1)

/**
 * Finds which of many keys stand at a place, however many they are and however alike they begin: a
 * burst trie.
 */
export class Prefixes<T> {
  readonly #root: Node<T> = { keys: [], next: undefined }
  /** One bit for each way to begin, so that most places cost nothing more. */
  readonly #beginnings = new Uint32Array(BEGINNINGS / 32)

  add(key: string, of: T): void {
    const bit = beginningAt(key, 0)
    this.#beginnings[bit >> 5] = (this.#beginnings[bit >> 5] ?? 0) | (1 << (bit & 31))
    this.#put(this.#root, 0, { key, of })
  }

  /**
   * Whether it is worth while to look for keys at a place: it is where there is one, and seldom
   * where there is none.
   */
  mayBegin(chars: string, place: number): boolean {
    const bit = beginningAt(chars, place)
    return ((this.#beginnings[bit >> 5] ?? 0) & (1 << (bit & 31))) !== 0
  }

  /** Keys that `chars` go on with from a place. */
  at(chars: string, place: number): readonly T[] {
    let found: T[] | undefined // at most places there is none
    let node: Node<T> | undefined = this.#root
    for (let depth = 0; node; depth++) {
      for (const { key, of } of node.keys) if (chars.startsWith(key, place)) (found ??= []).push(of)
      node = node.next?.get(chars.charAt(place + depth))
    }
    return found ?? NONE
  }

  /** Whether a key begins with all that stands from a place on, or is it. */
  isBegun(chars: string, place: number): boolean {
    if (place + 1 < chars.length && !this.mayBegin(chars, place)) return false
    let node: Node<T> | undefined = this.#root
    for (let depth = 0; node; depth++) {
      if (place + depth >= chars.length) return true
      const left = chars.length - place
      if (node.keys.some(({ key }) => key.length >= left && chars.endsWith(key.slice(0, left))))
        return true
      node = node.next?.get(chars.charAt(place + depth))
    }
    return false
  }

  #put(node: Node<T>, depth: number, entry: { readonly key: string; readonly of: T }): void {
    if (node.next && entry.key.length > depth) return this.#below(node.next, depth, entry)
    node.keys.push(entry)
    if (node.next || node.keys.length <= MOST || depth >= DEEPEST) return
    const next = (node.next = new Map<string, Node<T>>())
    const { keys } = node
    node.keys = keys.filter(({ key }) => key.length <= depth)
    for (const one of keys) if (one.key.length > depth) this.#below(next, depth, one)
  }

  #below(
    next: Map<string, Node<T>>,
    depth: number,
    entry: { readonly key: string; readonly of: T },
  ): void {
    const char = entry.key.charAt(depth)
    const child = next.get(char) ?? { keys: [], next: undefined }
    next.set(char, child)
    this.#put(child, depth + 1, entry)
  }
}
