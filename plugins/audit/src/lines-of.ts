import {
  type AuditDraft,
  isObject,
  isSecretName,
  type Json,
  type JournalEntry,
  type JsonObject,
  type SessionRef,
  type Note,
  OUTCOME_SETTLED,
  REDACTED,
  type TurnContext,
} from '@amodal/sdk'
import { textStart, isExact } from '@amodal/sdk/data'
import { eventsOf, revokedGrantIn } from '@amodal/sdk/loop'

const MOST_TEXT = 2_000
const MOST_ITEMS = 100
/** Levels of arguments that are recorded; deeper values are left out. */
const DEEPEST = 32

/** All lines of a journal entry: its own, and those of the changes of knowledge that it settles. */
export function draftsOf(entry: JournalEntry, place: Place): readonly AuditDraft[] {
  const own = draftOf(entry, place)
  const { tenant, session, principal } = place
  const settled = entry.kind === 'tool_outcome' ? eventsOf(entry) : []
  const proposals = settled.flatMap((event): readonly AuditDraft[] =>
    event.type === 'kb_proposal'
      ? [
          {
            tenant,
            session,
            run: entry.run,
            at: entry.at,
            kind: 'kb_proposal',
            key: `${entry.run}:${event.proposal_id}:${event.status}`,
            ...(principal === undefined ? {} : { principal }),
            data: {
              proposal: event.proposal_id,
              scope: event.scope,
              title: shown(event.title),
              status: event.status,
            },
          },
        ]
      : [],
  )
  return own ? [own, ...proposals] : proposals
}

/**
 * The session's first line. The journal of a session without messages has no entry from which this
 * line could be written later.
 */
export function sessionStart({ tenant, session, principal }: Place, at: number): AuditDraft {
  return {
    tenant,
    session,
    at,
    kind: 'session_start',
    key: `${session}:start`,
    ...(principal === undefined ? {} : { principal }),
  }
}

/** All lines of a whole journal. */
export function draftsOfJournal(
  entries: readonly JournalEntry[],
  place: Place,
): readonly AuditDraft[] {
  const [first] = entries
  const start =
    first?.kind === 'user_message'
      ? [sessionStart({ ...place, principal: first.principal }, first.at)]
      : []
  return [...start, ...entries.flatMap((entry) => draftsOf(entry, place))]
}

type Place = SessionRef & Partial<Pick<TurnContext, 'principal'>>

/**
 * What a journal entry is for the audit log: the same entry always gives the same line, so that
 * lines a dead process did not write are written later. Words of people and models stay in the
 * journal.
 */
function draftOf(
  entry: JournalEntry,
  { tenant, session, principal }: Place,
): AuditDraft | undefined {
  const { run, at } = entry
  const line = (kind: string, key: string, data: JsonObject, actor = principal): AuditDraft => ({
    tenant,
    session,
    run,
    at,
    kind,
    key: `${run}:${key}`,
    data,
    ...(actor === undefined ? {} : { principal: actor }),
  })
  switch (entry.kind) {
    case 'user_message':
      return line(
        'run_start',
        'start',
        { bundle: entry.bundle, characters: entry.text.length },
        entry.principal,
      )
    case 'tool_outcome':
      return line('tool_call', `${entry.call}:done`, {
        call: entry.call,
        tool: entry.name,
        status: entry.status,
        duration_ms: entry.ms,
        ...(entry.code === undefined ? {} : { code: entry.code }),
      })
    case 'tool_intent':
      return line('write_begun', `${entry.call}:begun`, {
        call: entry.call,
        tool: entry.name,
        args_hash: entry.args_hash,
      })
    case 'input_asked':
      return line('approval_asked', `${entry.ask}:asked`, {
        ask: entry.ask,
        type: entry.ask_type,
        call: entry.call ?? null,
        tool: entry.name ?? null,
        args_hash: entry.args_hash ?? null,
        tier: entry.context['tier'] ?? null,
      })
    case 'input_answered':
      return line(
        'approval_answered',
        `${entry.ask}:answered`,
        {
          ask: entry.ask,
          type: entry.ask_type,
          call: entry.call ?? null,
          approved: entry.answer['approved'] ?? null,
          ...(entry.answer['scope'] === 'conversation' && { scope: 'conversation' }),
          void: entry.void ?? null,
        },
        entry.principal,
      )
    case 'run_ended':
      return line('run_end', 'end', {
        reason: entry.reason,
        steps: entry.steps,
        input_tokens: entry.usage.input,
        output_tokens: entry.usage.output,
        ...(entry.error ? { code: entry.error.code } : {}),
      })
    case 'child_opened':
      return line('child_opened', `${entry.call}:child`, {
        call: entry.call,
        child: entry.child,
        agent: entry.agent,
      })
    case 'note':
      return entry.code === OUTCOME_SETTLED || entry.code === 'retry_failed'
        ? settled(entry, line)
        : grantRevoked(entry, line)
    case 'model_reply':
    case 'compacted':
    case 'child_closed':
      return undefined
  }
}

/** A person has settled an effect of unknown outcome, or tried to. */
function settled(
  { code, data }: Note,
  line: (kind: string, key: string, data: JsonObject) => AuditDraft,
): AuditDraft | undefined {
  const { call, name = null, settlement = null } = isObject(data) ? data : {}
  return typeof call !== 'string'
    ? undefined
    : line('outcome_settled', `${call}:${code}`, {
        call,
        tool: name,
        settlement,
        settled: code === OUTCOME_SETTLED,
      })
}

/** A person has ended a grant of the conversation. */
function grantRevoked(
  { data = null }: Note,
  line: (kind: string, key: string, data: JsonObject) => AuditDraft,
): AuditDraft | undefined {
  const revoked = revokedGrantIn(data)
  return revoked === undefined
    ? undefined
    : line('grant_revoked', `${revoked}:revoked`, { ask: revoked })
}

/** Arguments as they are recorded: without values under a secret's name, and truncated. */
export function shown(value: Json, levels = DEEPEST): Json {
  if (typeof value === 'string')
    return value.length > MOST_TEXT
      ? `${textStart(value, MOST_TEXT)}… [${value.length} characters]`
      : value
  if (typeof value !== 'object' || value === null || isExact(value)) return value
  if (levels === 0) return '…'
  if (Array.isArray(value))
    return value.slice(0, MOST_ITEMS).map((item: Json) => shown(item, levels - 1))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MOST_ITEMS)
      .map(([key, inner]: [string, Json]) => [
        key,
        isSecretName(key) ? REDACTED : shown(inner, levels - 1),
      ]),
  )
}
