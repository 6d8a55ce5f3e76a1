import { approvalsIn, type Item, type Settled } from '../timeline/index.ts'
import type { AnswerInput, PastApproval, SessionMessage } from '../types.ts'

/** The name of the person until the server has reported it. */
export const ME = 'me'

/** Decisions about a conversation that its streams do not contain. */
export class Decisions {
  /** Those of this client, by the id of the ask. */
  readonly #own = new Map<string, Settled>()
  #stored: ReadonlyMap<string, PastApproval> = new Map()

  isStored(ask: string): boolean {
    return this.#stored.has(ask)
  }

  read(messages: readonly SessionMessage[]): void {
    this.#stored = approvalsIn(messages)
  }

  add(answer: AnswerInput): void {
    this.#own.set(answer.id, settledBy(answer))
  }

  withdraw(ask: string): void {
    this.#own.delete(ask)
  }

  /**
   * A decision that the server has stored wins over one of this client, and that over the stream.
   */
  applied = (item: Item): Item => {
    if (item.kind !== 'ask') return item
    const stored = this.#stored.get(item.ask.id)
    const own = this.#own.get(item.ask.id)
    return stored || own
      ? {
          ...item,
          open: false,
          settled: { decision: 'answered', ...own, ...item.settled, ...stored },
        }
      : item
  }
}

function settledBy({ approved, feedback, action, scope }: AnswerInput): Settled {
  const approval = approved === true ? 'approved' : 'declined'
  return {
    decision: approved === undefined ? 'answered' : approval,
    by: ME,
    at: new Date().toISOString(),
    ...(feedback !== undefined && { feedback }),
    ...(scope === 'conversation' && { scope }),
    ...(action !== undefined && { answer: action }),
  }
}
