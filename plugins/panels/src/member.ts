import {
  err,
  isObject,
  ok,
  type JsonObject,
  type RunContext,
  type SessionChange,
  type SessionRow,
} from '@amodal/sdk'
import { LASTING } from '@amodal/sdk/loop'
import { beginningState, statusOf } from '@amodal/plugin-live-state/tokens'

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
  return {
    session_id: row.session,
    title: row.title,
    ...statusOf(row),
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
  }
}
