import {
  err,
  isObject,
  ok,
  stateOf,
  type JsonObject,
  type RunContext,
  type SessionChange,
  type SessionRow,
} from '@amodal/sdk'
import { LASTING } from '@amodal/sdk/loop'
import { beginningState } from '@amodal/plugin-live-state/tokens'

/** What the session of a member keeps: the template that it was made from. */
const KEY = `${LASTING}panel`

/** By it a panel's sessions are found. */
export const tagOf = (panel: string): string => `panel:${panel}`

/** The panel of a run's session; `undefined` where it is no member, or a sub-agent of one. */
export function panelOf({
  delegated,
  sessionState,
}: Pick<RunContext, 'delegated' | 'sessionState'>): string | undefined {
  const kept = delegated ? undefined : sessionState[KEY]
  return typeof kept === 'string' ? kept : undefined
}

/** Makes a new session a member: which panel, and what its state begins with, in one commit. */
export const applyBeginning: SessionChange = ({ panel, state }, { bundle, sessionState }) => {
  const data = { panel: panel ?? '' }
  // It was asked for before, under the same key.
  if (sessionState[KEY] !== undefined)
    return ok({ text: 'It is a member.', data, sessionState: {} })
  const begun = beginningState(bundle, isObject(state) ? state : {})
  if (!begun.ok) return err(begun.error)
  const { sessionState: values, events } = begun.value
  return ok({
    text: `Became a member of the panel ${JSON.stringify(data.panel)}.`,
    data,
    sessionState: { ...values, [KEY]: data.panel },
    ...(events && { events }),
  })
}

const iso = (ms: number): string => new Date(ms).toISOString()

/** A member as clients see it. */
export function shownMember(row: SessionRow): JsonObject {
  const lease = stateOf(row)
  return {
    session_id: row.session,
    title: row.title,
    size: row.messageCount,
    is_processing: lease.kind === 'run' && lease.state.kind !== 'confirming',
    waiting: lease.kind === 'run' && lease.state.kind === 'confirming',
    tool_round: lease.kind === 'run' && 'step' in lease.state ? lease.state.step : 0,
    token_usage: {
      input_tokens: row.inputTokens,
      output_tokens: row.outputTokens,
      total_tokens: row.inputTokens + row.outputTokens,
    },
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
  }
}
