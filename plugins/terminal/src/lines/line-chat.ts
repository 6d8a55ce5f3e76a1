import { ClientError, type AnswerInput, type Ask, type Item } from '@amodal/sdk/client'
import { ItemFeed } from '../feed/item-feed.ts'
import type { ChatSessions } from '../session/chat-sessions.ts'
import type { LineOutput, Outcome } from './output.ts'

/** A conversation that is written line by line. */
export class LineChat {
  readonly #sessions: ChatSessions
  readonly #output: LineOutput
  readonly #signal: AbortSignal
  #feed: ItemFeed
  /** The newest end of a turn. */
  #reason: string | undefined

  /** @param signal ends the reading of a turn */
  constructor(sessions: ChatSessions, output: LineOutput, signal: AbortSignal) {
    this.#signal = signal
    this.#sessions = sessions
    this.#output = output
    this.#feed = this.#newFeed()
  }

  get session(): string | undefined {
    return this.#sessions.current.session
  }

  /** Sends a message, and writes its turn. */
  async say(text: string): Promise<Outcome> {
    await this.#sessions.send(text)
    return this.#watch()
  }

  /** Continues a session, and its turn where one waits. */
  async resume(session: string): Promise<Outcome> {
    const { title } = await this.#sessions.resume(session)
    this.#feed = this.#newFeed()
    this.#output.notice(`Going on with "${title}" (${session})`)
    const { snapshot } = this.#sessions.current
    const { additions } = this.#feed.next(snapshot)
    const last = additions.findLast(({ kind }) => kind === 'text')
    if (snapshot.state !== 'idle') return this.#watch()
    if (last) this.#output.add(last)
    return 'done'
  }

  begin(): void {
    this.#sessions.begin()
    this.#feed = this.#newFeed()
  }

  #newFeed(): ItemFeed {
    return new ItemFeed({ callsWhenBegun: this.#output.callsWhenBegun })
  }

  async #watch(): Promise<Outcome> {
    this.#reason = undefined
    const answered = new Set<string>()
    for (;;) {
      const changed = this.#change()
      const { snapshot } = this.#sessions.current
      this.#write()
      if (this.#signal.aborted) return 'failed'
      const { error, state } = snapshot
      if (error) {
        this.#output.problem(error)
        return 'failed'
      }
      if (state === 'idle') return this.#outcome()
      const ask = openAsk(snapshot.items, answered)
      if (ask) {
        const answer = await this.#output.ask(ask)
        if (!answer) return 'waits'
        answered.add(ask.id)
        await this.#answer(answer)
      } else await changed
    }
  }

  #write(): void {
    for (const addition of this.#feed.next(this.#sessions.current.snapshot).additions) {
      if (addition.kind === 'item' && addition.item.kind === 'end')
        this.#reason = addition.item.reason
      this.#output.add(addition)
    }
  }

  async #answer(answer: AnswerInput): Promise<void> {
    await this.#sessions.current.answer(answer)
    const { locked } = this.#sessions.current.snapshot
    if (locked === undefined) return
    throw new ClientError(
      'UNAUTHENTICATED',
      'this answer needs a credential; put a key or a token into AMODAL_CREDENTIAL',
      401,
    )
  }

  #outcome(): Outcome {
    return this.#reason === undefined || this.#reason === 'error' ? 'failed' : 'done'
  }

  /** Resolves with the next change, or when the reading ends. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        leave()
        this.#signal.removeEventListener('abort', settle)
        resolve()
      }
      const leave = this.#sessions.subscribe(settle)
      this.#signal.addEventListener('abort', settle)
    })
  }
}

/** The first question that is open and not answered here. */
export function openAsk(
  items: readonly Item[],
  answered: ReadonlySet<string> = new Set(),
): Ask | undefined {
  const item = items.find((one) => one.kind === 'ask' && one.open && !answered.has(one.ask.id))
  return item?.kind === 'ask' ? item.ask : undefined
}
