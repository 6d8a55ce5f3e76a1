import { slot, type Compacted, type Failure, type Result, type Usage } from '@amodal/kernel'
import type { ModelCall } from './model.ts'
import type { RunContext } from './run-context.ts'

/** How a summary begins where it stands in the conversation, in the place of a person's message. */
export const SUMMARY_HEAD = 'Summary of the conversation so far:\n'

/**
 * What the provider last counted: tokens of its input and output, and how many messages these are,
 * the reply included.
 */
export interface Counted {
  readonly tokens: number
  readonly messages: number
}

/** What older messages are replaced by. */
export interface Compaction {
  readonly summary: string
  /** The newest messages, which stay as they are. The first of them is no tool message. */
  readonly keep: number
  readonly usage: Usage
  /** Tokens of a call before and after; estimates. */
  readonly before: number
  readonly after: number
}

/**
 * Keeps a conversation inside the window of its model: *compacting*. Without one, a context that
 * overflows ends the turn with a clear error.
 */
export interface Compactor {
  /**
   * The call as it fits, bulky outputs masked; `undefined`: the conversation has to be compacted
   * first. Every call passes here, so it is synchronous; equal conversations give equal calls.
   */
  fit(call: ModelCall, counted: Counted | undefined, ctx: RunContext): ModelCall | undefined
  /** Whether a provider has refused a call as too long. */
  overflowed(failed: Failure): boolean
  /**
   * @param tries how often this step was compacted already
   * @returns `undefined`: nothing is replaced, and the model call is repeated as `fit` now returns
   *   it. A failure ends the run.
   */
  compact(
    cause: Exclude<Compacted['cause'], 'clear'>,
    tries: number,
    ctx: RunContext,
  ): Promise<Result<Compaction | undefined, Failure>>
}
export const Compactor = slot.kernel<Compactor>('compactor')
