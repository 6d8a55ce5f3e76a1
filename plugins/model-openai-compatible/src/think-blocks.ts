/** A piece of content: words for the reader, or what the model thinks. */
export interface ContentPiece {
  readonly block: 'text' | 'reasoning'
  readonly text: string
}

const OPENING = '<think>'
const CLOSING = '</think>'

/**
 * Takes `<think>…</think>` blocks out of content that arrives in pieces: gateways hand on what a
 * model thinks within its words. A block at the beginning is passed on as it comes, and may lack
 * its end. A later one is held back until it has ended, so that words which only speak of the tag
 * are not lost; within code a tag is a word like any other.
 */
export class ThinkBlocks {
  /** Not yet known to be words, a tag or the inside of a block. */
  #pending = ''
  #state: 'beginning' | 'text' | 'first' | 'later' = 'beginning'
  /** Backticks so far: an odd number means code. */
  #ticks = 0
  /** Newest character of the text, for what stands before a tag. */
  #last = '\n'
  /** Blank lines behind a block belong to it, where no words came before. */
  #isTrimming = false

  push(delta: string): readonly ContentPiece[] {
    const pieces: ContentPiece[] = []
    this.#pending += delta
    while (this.#step(pieces));
    return pieces
  }

  /** What is still held back, once nothing follows. */
  end(): readonly ContentPiece[] {
    const pieces: ContentPiece[] = []
    const rest = this.#pending
    this.#pending = ''
    if (this.#state === 'first') add(pieces, 'reasoning', rest)
    else this.#text(pieces, this.#state === 'later' ? OPENING + rest : rest)
    this.#state = 'text'
    return pieces
  }

  /** @returns whether there may be more to do with what is pending */
  #step(pieces: ContentPiece[]): boolean {
    if (this.#pending === '') return false
    switch (this.#state) {
      case 'beginning':
        return this.#begin()
      case 'text':
        return this.#readText(pieces)
      case 'first':
        return this.#readFirst(pieces)
      case 'later':
        return this.#readLater(pieces)
    }
  }

  #begin(): boolean {
    const text = this.#pending.trimStart()
    if (text === '' || (text.length < OPENING.length && OPENING.startsWith(text))) return false
    const isBlock = text.startsWith(OPENING)
    this.#state = isBlock ? 'first' : 'text'
    if (isBlock) this.#pending = text.slice(OPENING.length)
    return true
  }

  #readText(pieces: ContentPiece[]): boolean {
    const at = this.#pending.indexOf('<')
    const before = at === -1 ? this.#pending : this.#pending.slice(0, at)
    this.#text(pieces, before)
    this.#pending = this.#pending.slice(before.length)
    if (this.#pending.length < OPENING.length && OPENING.startsWith(this.#pending)) return false
    const isBlock =
      this.#pending.startsWith(OPENING) && this.#ticks % 2 === 0 && /\s/.test(this.#last)
    if (!isBlock) {
      this.#text(pieces, '<')
      this.#pending = this.#pending.slice(1)
      return true
    }
    this.#pending = this.#pending.slice(OPENING.length)
    this.#state = 'later'
    return true
  }

  #readFirst(pieces: ContentPiece[]): boolean {
    const at = this.#pending.indexOf(CLOSING)
    const until = at === -1 ? this.#pending.length - tagBegun(this.#pending) : at
    add(pieces, 'reasoning', this.#pending.slice(0, until))
    this.#pending = this.#pending.slice(until)
    if (at !== -1) this.#close(true)
    return at !== -1
  }

  #readLater(pieces: ContentPiece[]): boolean {
    const at = this.#pending.indexOf(CLOSING)
    if (at === -1) return false
    add(pieces, 'reasoning', this.#pending.slice(0, at))
    this.#pending = this.#pending.slice(at)
    this.#close(false)
    return true
  }

  #close(isTrimming: boolean): void {
    this.#pending = this.#pending.slice(CLOSING.length)
    this.#state = 'text'
    this.#isTrimming = isTrimming
  }

  #text(pieces: ContentPiece[], given: string): void {
    const text = this.#isTrimming ? given.trimStart() : given
    if (text === '') return
    this.#isTrimming = false
    this.#ticks += text.split('`').length - 1
    this.#last = text.at(-1) ?? this.#last
    add(pieces, 'text', text)
  }
}

/** Characters at the end of a text that may be the beginning of the closing tag. */
function tagBegun(text: string): number {
  for (let length = Math.min(CLOSING.length - 1, text.length); length > 0; length--)
    if (text.endsWith(CLOSING.slice(0, length))) return length
  return 0
}

function add(pieces: ContentPiece[], block: ContentPiece['block'], text: string): void {
  const last = pieces.at(-1)
  if (text === '') return
  if (last?.block === block) pieces[pieces.length - 1] = { block, text: last.text + text }
  else pieces.push({ block, text })
}
