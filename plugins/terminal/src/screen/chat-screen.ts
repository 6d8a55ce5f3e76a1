import { ClientError, type Item } from '@amodal/sdk/client'
import { ItemFeed } from '../feed/item-feed.ts'
import { openAsk } from '../lines/line-chat.ts'
import type { Layout } from '../markdown/layout.ts'
import type { Paint } from '../paint.ts'
import type { ChatSessions } from '../session/chat-sessions.ts'
import { AskPrompt } from './ask-prompt.ts'
import { askLines } from './ask-lines.ts'
import { hanging, noteLines } from './item-lines.ts'
import { RepaintBudget } from './repaint-budget.ts'
import { Scrollback, type Block } from './scrollback.ts'

/** ms between two frames. */
const FRAME_MS = 67
/** Lines that wait for one another where the budget is used up, and ms after which they do not. */
const BATCH_LINES = 4
const BATCH_MS = 600

export interface ChatScreenOptions {
  readonly sessions: ChatSessions
  readonly paint: Paint
  readonly columns: number
  /** Bytes written to the terminal so far. */
  readonly written: () => number
  /** Called whenever something is to be drawn. */
  readonly onChange: () => void
}

/** What a terminal shows of the current session: a projection of its snapshots. */
export class ChatScreen {
  readonly #options: ChatScreenOptions
  readonly #budget: RepaintBudget
  readonly #scrollback = new Scrollback()
  /** Questions whose details are written. */
  readonly #detailed = new Set<string>()
  #feed = new ItemFeed()
  #layout: Layout
  #timer: ReturnType<typeof setTimeout> | undefined
  #flushed = performance.now()
  #error: Error | undefined
  #tail: readonly string[] = []
  #pending: readonly Item[] = []
  #prompt: AskPrompt | undefined

  constructor(options: ChatScreenOptions) {
    this.#options = options
    this.#layout = layoutOf(options.columns, options.paint)
    this.#budget = new RepaintBudget(options.written)
  }

  get blocks(): readonly Block[] {
    return this.#scrollback.blocks
  }
  get layout(): Layout {
    return this.#layout
  }
  /** Lines of the answer that may still change. */
  get tail(): readonly string[] {
    return this.#tail
  }
  get pending(): readonly Item[] {
    return this.#pending
  }
  /** The question that waits for the person. */
  get prompt(): AskPrompt | undefined {
    return this.#prompt
  }

  resize(columns: number): void {
    this.#layout = layoutOf(columns, this.#options.paint)
    this.update()
  }

  /** Another session is shown from now on. */
  restart(): void {
    this.#feed = new ItemFeed()
    this.#error = undefined
    this.#tail = []
    this.#pending = []
    this.#prompt = undefined
  }

  /** Another turn begins. */
  beginTurn(): void {
    this.#budget.reset()
  }

  /** Writes a remark of this client. */
  note(tone: 'info' | 'warning' | 'error', text: string): void {
    this.#scrollback.notice(noteLines(tone, text, this.#layout))
    this.#options.onChange()
  }

  /** Writes lines of this client, as they are. */
  print(text: string): void {
    this.#scrollback.notice(hanging('  ', text, this.#layout, ['dim']))
    this.#options.onChange()
  }

  /** What went wrong, as a remark. */
  fail(cause: unknown): void {
    if (!(cause instanceof Error)) return
    const code = cause instanceof ClientError ? `${cause.code}: ` : ''
    this.note('error', code + cause.message)
  }

  /** Draws the current snapshot with the next frame. */
  updateSoon(): void {
    this.#timer ??= setTimeout(() => this.update(), FRAME_MS)
  }

  update(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { snapshot } = this.#options.sessions.current
    const { additions, pending } = this.#feed.next(snapshot)
    this.#pending = pending
    let open: readonly string[] = []
    for (const addition of additions) {
      if (addition.kind === 'text') {
        open = this.#scrollback.read(addition, this.#layout)
        this.#budget.grow(Buffer.byteLength(addition.text))
        this.#feed.settle(this.#scrollback.finishedLength)
      } else this.#scrollback.add(addition, this.#layout)
    }
    this.#showTail(open)
    this.#ask()
    if (snapshot.error !== this.#error && snapshot.error) this.fail(snapshot.error)
    this.#error = snapshot.error
    this.#options.onChange()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  /** Within the budget every line is shown at once; beyond it finished lines are, some at a time. */
  #showTail(open: readonly string[]): void {
    const { isWithin } = this.#budget
    const { waiting } = this.#scrollback
    const isLate = performance.now() - this.#flushed > BATCH_MS
    if (isWithin || isLate || waiting.length >= BATCH_LINES) {
      this.#scrollback.flush()
      this.#flushed = performance.now()
    } else if (waiting.length > 0) this.updateSoon()
    this.#tail = isWithin ? open : []
  }

  #ask(): void {
    const ask = openAsk(this.#options.sessions.current.snapshot.items)
    if (ask?.id === this.#prompt?.ask.id) return
    this.#prompt = ask && new AskPrompt(ask)
    if (!ask || this.#detailed.has(ask.id)) return
    this.#detailed.add(ask.id)
    this.#scrollback.notice(askLines(ask, this.#layout))
  }
}

/** The last column stays free: some terminals wrap as soon as it is written. */
const layoutOf = (columns: number, paint: Paint): Layout => ({
  columns: Math.max(4, columns - 1),
  paint,
})
