import { redact, type AgentEvent, type Json, type TurnResult } from '@amodal/sdk'
import { statusOf } from '@amodal/plugin-http/tokens'
import { shownAsk } from './session-shape.ts'

interface ToolCall {
  readonly tool_name: string
  readonly tool_id: string
  readonly args: Json
  readonly status: 'success' | 'error'
  readonly duration_ms?: number
  readonly error?: string
  readonly result?: string
}

/**
 * A whole turn as one JSON answer: 200, 202 where it waits for a person (`pending_input`), or the status of the
 * error it ended with.
 */
export function syncAnswer({ session, text, events, reason, usage, pending }: TurnResult): Response {
  const turn = { session_id: session, sessionId: session, response: text, tool_calls: toolCalls(events, pending.length > 0), ...(reason && { reason }), ...(usage && { usage }) }
  if (pending.length > 0) return Response.json({ ...turn, pending_input: pending.map(shownAsk) }, { status: 202 })
  const error = reason === 'error' ? events.findLast((event) => event.type === 'error') : undefined
  if (!error) return Response.json(turn)
  return Response.json({ error: { code: error.code, message: error.message }, ...turn }, { status: statusOf(error.code) })
}

/** @param waits calls without a result are still to come, and stand in `pending_input` */
function toolCalls(events: readonly AgentEvent[], waits: boolean): readonly ToolCall[] {
  const results = new Map(events.flatMap((event) => (event.type === 'tool_call_result' ? [[event.tool_id, event] as const] : [])))
  return events.flatMap((event): readonly ToolCall[] => {
    if (event.type !== 'tool_call_start') return []
    const result = results.get(event.tool_id)
    if (!result && waits) return []
    return [{
      tool_name: event.tool_name, tool_id: event.tool_id, args: redact(event.parameters), status: result?.status ?? 'error',
      ...(result?.duration_ms !== undefined && { duration_ms: result.duration_ms }),
      ...(result?.error !== undefined && { error: result.error }),
      ...(result?.result !== undefined && { result: result.result }),
    }]
  })
}
