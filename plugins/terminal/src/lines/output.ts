import type { AnswerInput, Ask } from '@amodal/sdk/client'
import type { Addition } from '../feed/item-feed.ts'

/** The end of a turn. */
export type Outcome = 'done' | 'failed' | 'waits'

/** Reads the next line of input; `undefined` at its end. */
export type ReadLine = () => Promise<string | undefined>

/** Where a conversation is written line by line. */
export interface LineOutput {
  /** Calls are written as soon as they begin, and not once they have ended. */
  readonly callsWhenBegun: boolean
  add(addition: Addition): void
  /** Asks the person; `undefined` at the end of the input. */
  ask(ask: Ask): Promise<AnswerInput | undefined>
  /** What went wrong, in a session that goes on. */
  problem(error: Error): void
  /** What this client reports about a session. */
  notice(text: string): void
  /** Shows that a message is waited for. */
  prompt(): void
  /** Ends what was written. */
  end(): void
}
