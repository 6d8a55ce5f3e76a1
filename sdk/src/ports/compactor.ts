import { slot, type Compacted, type Failure, type Result, type Usage } from '@amodal/kernel'
import type { Message } from './model.ts'
import type { RunContext } from './run-context.ts'

/** How a summary begins where it stands in the conversation, in the place of a person's message. */
export const SUMMARY_HEAD = 'Summary of the conversation so far:\n'

/** Summarises history: *compacting*. Without one, a context that overflows ends the turn with a clear error. */
export interface Compactor {
  compact(messages: readonly Message[], cause: Compacted['cause'], ctx: RunContext): Promise<Result<{ readonly summary: string; readonly upto: number; readonly usage: Usage }, Failure>>
}
export const Compactor = slot.kernel<Compactor>('compactor')
