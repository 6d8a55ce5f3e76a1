import { slot, type CallId, type CallState, type JsonObject, type Usage } from '@amodal/kernel'
import type { RunContext } from './run-context.ts'

export interface ChildOutcome { readonly call: CallId; readonly status: 'success' | 'error' | 'unknown'; readonly summary: string; readonly usage: Usage }

/** Runs the sub-agent calls of a step together: *dispatching*. */
export interface Dispatcher {
  dispatch(calls: readonly { readonly state: CallState; readonly args: JsonObject }[], ctx: RunContext): Promise<readonly ChildOutcome[]>
}
export const Dispatcher = slot.kernel<Dispatcher>('dispatcher')

export interface DispatchRequest { readonly call: CallId; readonly agent: string; readonly prompt: string; readonly args: JsonObject }
/** Returned by a `dispatch.start` tap that refuses a sub-agent. */
export interface DispatchVerdict { readonly deny: true; readonly message: string }
