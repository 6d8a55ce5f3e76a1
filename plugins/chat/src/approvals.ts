import {
  redact,
  type InputAnswered,
  type InputAsked,
  type JsonObject,
  type SequencedEntry,
  type SessionId,
} from '@amodal/sdk'
import { GrantLedger } from '@amodal/sdk/loop'

const iso = (ms: number): string => new Date(ms).toISOString()

/**
 * The decision about an approval, by whom and when. An expired one has no principal.
 */
export function decisionOf({
  ask,
  answer,
  void: reason,
  principal,
  at,
}: InputAnswered): JsonObject {
  const { approved, feedback, scope } = answer
  const isApproved = approved === true && reason === undefined
  const decided = isApproved ? 'approved' : 'declined'
  const decision = reason === 'expired' ? 'expired' : decided
  return {
    ask_id: ask,
    decision,
    ...(reason !== 'expired' && { by: principal }),
    at: iso(at),
    ...(isApproved && scope === 'conversation' && { scope }),
    ...(typeof feedback === 'string' && feedback !== '' && { feedback }),
  }
}

/**
 * The approvals in a session's history, each with its question and decision. One that is open, or
 * whose run was cancelled before a decision, has none.
 */
export function approvalsOf(entries: readonly SequencedEntry[]): readonly JsonObject[] {
  const answers = new Map(
    entries.flatMap((entry) =>
      entry.kind === 'input_answered' ? [[entry.ask, entry] as const] : [],
    ),
  )
  return entries
    .filter(
      (entry): entry is SequencedEntry<InputAsked> =>
        entry.kind === 'input_asked' && entry.ask_type === 'approval',
    )
    .map(({ ask, call, name, context, at, expires_at: expires }) => {
      const answer = answers.get(ask)
      return {
        ask_id: ask,
        ...(call && { tool_id: call }),
        ...(name !== undefined && { tool_name: name }),
        ['asked']: redact(context),
        asked_at: iso(at),
        ...(expires !== undefined && { expires_at: iso(expires) }),
        ...(answer ? decisionOf(answer) : { decision: null }),
      }
    })
}

/** Approvals for the rest of this conversation that have not been revoked. */
export function grantsOf(
  entries: readonly SequencedEntry[],
  session: SessionId,
): readonly JsonObject[] {
  const ledger = new GrantLedger()
  for (const entry of entries) ledger.apply(entry)
  return ledger.grants
    .filter(({ offer }) => offer.session === session)
    .map(({ id, offer: { tool, endpoint, connection }, by, at }) => ({
      id,
      tool,
      endpoint,
      connection,
      by,
      at: iso(at),
    }))
}
