import { Transcript } from '../transcript.ts'
import type { ClientEvent } from '../types.ts'
import { SET_ASIDE, turnItems, type Item, type SessionFile } from '../timeline/index.ts'

/** The message of a turn, where this client has sent it. */
export interface TurnMessage {
  readonly text: string
  readonly assets: readonly SessionFile[]
}

/** How the stream of a turn is read. */
export interface TurnReading {
  /** Stops reading without reporting an error. */
  readonly stop?: AbortSignal
  /** Called once the server has the message. */
  readonly onAccepted?: () => void
  /** Whether the turn is read once more after what went wrong. */
  readonly isRetried?: (cause: unknown) => boolean
}

/** A turn that is in progress, or was when the conversation was opened. */
export class Turn {
  readonly key: string
  readonly message: TurnMessage | undefined
  #transcript = new Transcript()
  #items: readonly Item[] | undefined
  /** The server has its message. */
  isAccepted: boolean
  isOver = false

  constructor(key: string, message?: TurnMessage) {
    this.key = key
    this.message = message
    this.isAccepted = message === undefined
  }

  get isEmpty(): boolean {
    return this.#transcript.events.length === 0
  }

  /** Whether a decision may be necessary that its stream does not report. */
  get isDoubtful(): boolean {
    return this.#transcript.events.some(
      (event) =>
        (event.type === 'tool_call_result' && event.status === 'error') ||
        (event.type === 'error' && event.code === SET_ASIDE),
    )
  }

  push(event: ClientEvent): void {
    if (event.type === 'init') {
      // A message that was sent once more is answered from its beginning.
      if (this.isAccepted) this.#transcript = new Transcript()
      this.isAccepted = true
    }
    this.isOver = event.type === 'done'
    this.#transcript.push(event)
    this.#items = undefined
  }

  /** Its stream has ended. */
  end(): void {
    this.isOver = true
    this.#items = undefined
  }

  /** The ids of approvals that were required for a call. */
  approvalsFor(call: string): readonly string[] {
    return this.#transcript.events.flatMap((event) =>
      event.type === 'confirmation_required' && event.tool_id === call ? [event.id] : [],
    )
  }

  /** Computes the items anew when they are read. */
  invalidate(): void {
    this.#items = undefined
  }

  /**
   * @param withDecision adds what is known about an ask besides the stream
   * @param isLost the server cannot be reached
   */
  items(withDecision: (item: Item) => Item, isLost: boolean): readonly Item[] {
    return (this.#items ??= this.#build(withDecision, isLost))
  }

  #build(withDecision: (item: Item) => Item, isLost: boolean): readonly Item[] {
    const items = turnItems(this.key, this.#transcript.events).map(withDecision)
    if (!this.message) return items
    const { text, assets } = this.message
    return [
      {
        kind: 'user',
        key: `${this.key}-user`,
        text,
        ...(assets.length > 0 && { assets }),
        ...(!this.isAccepted && isLost && { unsent: true }),
      },
      ...items,
    ]
  }
}
