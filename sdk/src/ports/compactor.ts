import {
  type CallId, type CallState, type Compacted, type Failure, type JsonObject, type Message, type Result, type RunContext,
  slot, type Usage,
} from '@amodal/kernel'

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
