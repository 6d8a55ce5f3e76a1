import { stateOf, type JsonObject, type SessionRow } from '@amodal/sdk'

/**
 * What a session is doing, as clients see it beside its state: derived from the session's row, and
 * the same for everybody who may see the session.
 *
 * @example
 * statusOf(row) // { is_processing: true, waiting: false, tool_round: 2, … }
 */
export function statusOf(row: SessionRow): JsonObject {
  const stored = stateOf(row)
  const state = stored.kind === 'run' ? stored.state : undefined
  return {
    is_processing: state !== undefined && state.kind !== 'confirming',
    waiting: state?.kind === 'confirming',
    tool_round: state && 'step' in state ? state.step : 0,
    token_usage: {
      input_tokens: row.inputTokens,
      output_tokens: row.outputTokens,
      total_tokens: row.inputTokens + row.outputTokens,
    },
    history_size: row.messageCount,
  }
}
