import {
  redact,
  trySync,
  type AgentEvent,
  type Code,
  type Json,
  type TurnResult,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
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
 *
 * @param statusOf the catalogue of codes, with those of the plugins
 * @param hasOutput the answer is JSON, whose value is `output`
 */
export function syncAnswer(
  turn: TurnResult,
  statusOf: (code: Code) => number,
  hasOutput = false,
): Response {
  const { body: shown, failed } = shownTurn({ ...turn, pending: turn.pending.map(shownAsk) })
  const isAnswered = hasOutput && turn.reason === 'model_stop'
  const output = isAnswered
    ? trySync(
        () => parseExact(turn.text) as Json,
        () => null,
      )
    : undefined
  const body = output?.ok ? { ...shown, output: output.value } : shown
  const ended = failed === undefined ? 200 : statusOf(failed)
  return Response.json(body, { status: turn.pending.length > 0 ? 202 : ended })
}

/** A turn that has ended or waits for a person; `pending` in the shape of the API. */
export type ReadTurn = Omit<TurnResult, 'pending' | 'session'> & {
  readonly session: string
  readonly pending: readonly object[]
}

/** The body of the response, and the code of the error that ended the turn. */
export function shownTurn({ session, text, events, reason, usage, pending }: ReadTurn): {
  readonly body: object
  readonly failed?: Code
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
  if (pending.length > 0) return { body: { ...turn, pending_input: pending } }
  const error = reason === 'error' ? events.findLast((event) => event.type === 'error') : undefined
  if (!error) return { body: turn }
  return {
    failed: error.code,
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
