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
 * A whole turn as one JSON response: 200, 202 where it waits for a person (`pending_input`), or the
 * status of the error it ended with.
 */
export function syncAnswer(turn: TurnResult): Response {
  const { body, status } = shownTurn({ ...turn, pending: turn.pending.map(shownAsk) })
  return Response.json(body, { status })
}

/** A turn that has ended or waits for a person; `pending` in the shape of the API. */
export type ReadTurn = Omit<TurnResult, 'pending' | 'session'> & {
  readonly session: string
  readonly pending: readonly object[]
}

/** The body and status of the response. */
export function shownTurn({ session, text, events, reason, usage, pending }: ReadTurn): {
  readonly status: number
  readonly body: object
} {
  const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))
  const turn = {
    session_id: session,
    sessionId: session,
    response: text,
    tool_calls: toolCalls(events, pending.length > 0),
    ...(reason && { reason }),
    ...(warnings.length > 0 && { warnings }),
    ...(usage && { usage }),
  }
  if (pending.length > 0) return { status: 202, body: { ...turn, pending_input: pending } }
  const error = reason === 'error' ? events.findLast((event) => event.type === 'error') : undefined
  if (!error) return { status: 200, body: turn }
  return {
    status: statusOf(error.code),
    body: { error: { code: error.code, message: error.message }, ...turn },
  }
}

/** @param waits calls without a result are pending and are listed in `pending_input` */
function toolCalls(events: readonly AgentEvent[], waits: boolean): readonly ToolCall[] {
  const results = new Map(
    events.flatMap((event) =>
      event.type === 'tool_call_result' ? [[event.tool_id, event] as const] : [],
    ),
  )
  return events.flatMap((event): readonly ToolCall[] => {
    if (event.type !== 'tool_call_start') return []
    const result = results.get(event.tool_id)
    if (!result && waits) return []
    return [
      {
        tool_name: event.tool_name,
        tool_id: event.tool_id,
        args: redact(event.parameters),
        status: result?.status ?? 'error',
        ...(result?.duration_ms !== undefined && { duration_ms: result.duration_ms }),
        ...(result?.error !== undefined && { error: result.error }),
        ...(result?.result !== undefined && { result: result.result }),
      },
    ]
  })
}
