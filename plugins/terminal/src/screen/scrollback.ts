import type { Item } from '@amodal/sdk/client'
import type { Addition } from '../feed/item-feed.ts'
import type { Layout } from '../markdown/layout.ts'
import { MarkdownStream } from '../markdown/markdown-stream.ts'
import { itemLines, noteLines } from './item-lines.ts'

/** Lines of the scrollback that were written together. */
export interface Block {
  readonly key: string
  /** One line or more, with their looks. */
  readonly text: string
}

/** Kinds of items that follow one another without an empty line. */
type Group = 'actions' | 'user' | 'text' | 'notice'

const groupOf = ({ kind }: Item): Group => (kind === 'user' ? 'user' : 'actions')

/** The finished lines of a terminal, in the order in which they are written. */
export class Scrollback {
  #blocks: readonly Block[] = []
  #group: Group | undefined
  #stream: { readonly id: number; readonly markdown: MarkdownStream } | undefined
  #waiting: readonly string[] = []

  /** The same list until something is added. */
  get blocks(): readonly Block[] {
    return this.#blocks
  }

  /** Length of the text that was read last whose lines are finished. */
  get finishedLength(): number {
    return this.#stream?.markdown.finishedLength ?? 0
  }

  /** Finished lines of a text that are not written yet. */
  get waiting(): readonly string[] {
    return this.#waiting
  }

  /** Adds an item, or a remark. */
  add(addition: Exclude<Addition, { readonly kind: 'text' }>, layout: Layout): void {
    this.flush()
    this.#stream = undefined
    if (addition.kind === 'restart')
      return this.notice(noteLines('warning', 'The answer begins again.', layout))
    this.#write(groupOf(addition.item), itemLines(addition.item, layout))
  }

  /** Adds lines of this client. */
  notice(lines: readonly string[]): void {
    this.flush()
    this.#write('notice', lines)
  }

  /**
   * Reads a text as far as it is known. Its finished lines are written by {@link flush}.
   *
   * @returns its lines that may still change
   */
  read(
    { id, text, isComplete }: Extract<Addition, { readonly kind: 'text' }>,
    layout: Layout,
  ): readonly string[] {
    if (this.#stream?.id !== id) {
      this.flush()
      this.#stream = { id, markdown: new MarkdownStream() }
      if (this.#group === 'text') this.#group = undefined
    }
    const { finished, open } = this.#stream.markdown.read(text, isComplete, layout)
    this.#waiting = [...this.#waiting, ...finished]
    if (isComplete) this.flush()
    return open
  }

  /** Writes the finished lines that wait. */
  flush(): void {
    const lines = this.#waiting
    this.#waiting = []
    this.#write('text', lines)
  }

  #write(group: Group, lines: readonly string[]): void {
    if (lines.length === 0) return
    const isFirst = this.#blocks.length === 0
    const gap = !isFirst && (group !== this.#group || group === 'user') ? [''] : []
    this.#group = group
    const text = [...gap, ...lines].join('\n')
    this.#blocks = [...this.#blocks, { key: String(this.#blocks.length), text }]
  }
}
