import {
  redact,
  type InputAnswered,
  type InputAsked,
  type JsonObject,
  type Placed,
} from '@amodal/sdk'

const iso = (ms: number): string => new Date(ms).toISOString()

/**
 * Which way an approval went, by whom and when. Where its time was over, it was nobody's decision.
 */
export function decisionOf({
  ask,
  answer,
  void: reason,
  principal,
  at,
}: InputAnswered): JsonObject {
  const { approved, feedback } = answer
  const decision =
    reason === 'expired'
      ? 'expired'
      : approved === true && reason === undefined
        ? 'approved'
        : 'declined'
  return {
    ask_id: ask,
    decision,
    ...(reason !== 'expired' && { by: principal }),
    at: iso(at),
    ...(typeof feedback === 'string' && feedback !== '' && { feedback }),
  }
}

/**
 * Each approval of a session's history: what was asked, and what it came to. One that is open, or
 * whose run was cancelled over it, has no decision.
 */
export function approvalsOf(entries: readonly Placed[]): readonly JsonObject[] {
  const answers = new Map(
    entries.flatMap((entry) =>
      entry.kind === 'input_answered' ? [[entry.ask, entry] as const] : [],
    ),
  )
  return entries
    .filter(
      (entry): entry is Placed<InputAsked> =>
        entry.kind === 'input_asked' && entry.ask_type === 'approval',
    )
    .map(({ ask, call, name, context, at, expires_at: expires }) => {
      const answer = answers.get(ask)
      return {
        ask_id: ask,
        ...(call && { tool_id: call }),
        ...(name !== undefined && { tool_name: name }),
        asked: redact(context),
        asked_at: iso(at),
        ...(expires !== undefined && { expires_at: iso(expires) }),
        ...(answer ? decisionOf(answer) : { decision: null }),
      }
    })
}
