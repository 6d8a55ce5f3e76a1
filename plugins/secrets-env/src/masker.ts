const MASK = '[MASKED]'

const ASCII = 128

interface Place {
  readonly from: number
  readonly to: number
}

/**
 * Finds any of many words in a text in one pass (Aho and Corasick, "Efficient string matching",
 * 1975): the time is linear in the length of the text, whatever the number of words.
 */
export class Masker {
  // A trie in columns: per node its letter, its first child, its next sibling, where to go on when
  // nothing fits, the length of the longest word that ends here, and how many letters led here.
  readonly #letter: number[] = [0]
  readonly #child: number[] = [0]
  readonly #sibling: number[] = [0]
  readonly #fail: number[] = [0]
  readonly #length: number[] = [0]
  readonly #depth: number[] = [0]
  /** Children of the root by letter: where a text without secrets stays. */
  readonly #start = new Map<number, number>()
  /** The same for the letters that most texts are made of. */
  readonly #startOfAscii = new Uint32Array(ASCII)

  constructor(words: Iterable<string>) {
    for (const word of words) this.#add(word)
    this.#connect()
  }

  /** The text with every word in it replaced by `[MASKED]`; the same string where there is none. */
  mask(text: string): string {
    const { found } = this.#find(text)
    if (found.length === 0) return text
    let masked = ''
    let done = 0
    for (const { from, to } of found) {
      masked += text.slice(done, from) + MASK
      done = to
    }
    return masked + text.slice(done)
  }

  /**
   * How much of an unfinished text can be masked now: what follows may be the beginning of a word.
   */
  redactableLength(text: string): number {
    const { found, end } = this.#find(text)
    const begun = text.length - (this.#depth[end] ?? 0)
    const last = found.at(-1)
    return last && last.to > begun ? Math.min(last.from, begun) : begun
  }

  /**
   * All places of words, and the longest beginning of one that the text ends with, where it can go
   * on.
   */
  #find(text: string): { readonly found: readonly Place[]; readonly end: number } {
    const found: Place[] = []
    if (this.#start.size === 0) return { found, end: 0 }
    let node = 0
    for (let at = 0; at < text.length; at++) {
      const letter = text.charCodeAt(at)
      node =
        node === 0 && letter < ASCII ? (this.#startOfAscii[letter] ?? 0) : this.#step(node, letter)
      const length = this.#length[node] ?? 0
      if (length > 0) this.#note(found, at + 1 - length, at + 1)
    }
    while (node !== 0 && this.#child[node] === 0) node = this.#fail[node] ?? 0
    return { found, end: node }
  }

  /** Words that overlap become one mask. Ends only grow, so only the newest ones can overlap. */
  #note(found: Place[], from: number, to: number): void {
    let start = from
    for (let last = found.at(-1); last && last.to > from; last = found.at(-1)) {
      start = Math.min(start, last.from)
      found.pop()
    }
    found.push({ from: start, to })
  }

  #add(word: string): void {
    if (word === '') return
    let node = 0
    for (let at = 0; at < word.length; at++) {
      const letter = word.charCodeAt(at)
      node = this.#childOf(node, letter) || this.#grow(node, letter)
    }
    this.#length[node] = word.length
  }

  #grow(parent: number, letter: number): number {
    const node = this.#letter.push(letter) - 1
    this.#child.push(0)
    this.#fail.push(0)
    this.#length.push(0)
    this.#depth.push((this.#depth[parent] ?? 0) + 1)
    this.#sibling.push(this.#child[parent] ?? 0)
    this.#child[parent] = node
    if (parent === 0) {
      this.#start.set(letter, node)
      if (letter < ASCII) this.#startOfAscii[letter] = node
    }
    return node
  }

  /**
   * Breadth first: a node fails over to the longest other beginning of a word that its own letters
   * end with.
   */
  #connect(): void {
    const queue = [...this.#start.values()]
    for (let at = 0; at < queue.length; at++) {
      const parent = queue[at] ?? 0
      for (let node = this.#child[parent] ?? 0; node !== 0; node = this.#sibling[node] ?? 0) {
        const fail = this.#step(this.#fail[parent] ?? 0, this.#letter[node] ?? 0)
        this.#fail[node] = fail
        this.#length[node] ||= this.#length[fail] ?? 0
        queue.push(node)
      }
    }
  }

  #step(from: number, letter: number): number {
    for (let node = from; node !== 0; node = this.#fail[node] ?? 0) {
      const child = this.#childOf(node, letter)
      if (child !== 0) return child
    }
    return this.#start.get(letter) ?? 0
  }

  #childOf(parent: number, letter: number): number {
    if (parent === 0) return this.#start.get(letter) ?? 0
    let node = this.#child[parent] ?? 0
    while (node !== 0 && this.#letter[node] !== letter) node = this.#sibling[node] ?? 0
    return node
  }
}
