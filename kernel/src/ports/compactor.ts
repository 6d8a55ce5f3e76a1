import type { Failure } from '../errors.ts'
import type { Compacted } from '../journal/entry.ts'
import type { RunContext } from '../loop/context.ts'
import type { CallState } from '../loop/state.ts'
import type { CallId } from '../ids.ts'
import type { JsonObject, Message, Usage } from '../messages.ts'
import type { Result } from '../result.ts'
import { slot } from '../token.ts'

/** Summarises history: *compacting*. Without one, a context that overflows ends the turn with a clear error. */
export interface Compactor {
  compact(messages: readonly Message[], cause: Compacted['cause'], ctx: RunContext): Promise<Result<{ readonly summary: string; readonly upto: number; readonly usage: Usage }, Failure>>
}
export const Compactor = slot.kernel<Compactor>('compactor')

export interface ChildOutcome { readonly call: CallId; readonly status: 'success' | 'error' | 'unknown'; readonly summary: string; readonly usage: Usage }

/** Runs the sub-agent calls of a step together: *dispatching*. */
export interface Dispatcher {
  dispatch(calls: readonly { readonly state: CallState; readonly args: JsonObject }[], ctx: RunContext): Promise<readonly ChildOutcome[]>
}
export const Dispatcher = slot.kernel<Dispatcher>('dispatcher')
