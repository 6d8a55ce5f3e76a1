import { OUTCOME_SETTLED } from '@amodal/sdk'
import type { NoteThing } from '../thing.ts'
import type { RowFacts, RowKind, RowStatus } from './row.ts'
import { lineOf } from './text.ts'

interface KnownNote {
  readonly kind: RowKind
  readonly status: RowStatus
  /** Of a note whose text is not for everybody who may see the session. */
  readonly title?: string
}

/** Notes that are known: clients are shown the texts of those without a `title`. */
const KNOWN: Readonly<Partial<Record<string, KnownNote>>> = {
  warning: { kind: 'note', status: 'done' },
  recovered: { kind: 'recovery', status: 'done' },
  bundle_changed: { kind: 'recovery', status: 'done' },
  history_dropped: { kind: 'recovery', status: 'done' },
  [OUTCOME_SETTLED]: { kind: 'note', status: 'done' },
  retry_failed: { kind: 'note', status: 'failed' },
  state_changed: { kind: 'state', status: 'done', title: 'State of the session changed' },
  state_evaluated: { kind: 'state', status: 'done', title: 'Expressions over the state evaluated' },
  session_changed: { kind: 'state', status: 'done', title: 'State of the session changed' },
  session_change_refused: {
    kind: 'state',
    status: 'refused',
    title: 'Change of the state of the session refused',
  },
}

/**
 * The row of a note. Its values are never shown: a field of the state may be hidden from this
 * caller. Of a note of a plugin that is not known here only the code is shown.
 */
export function noteFacts({ entry }: NoteThing): RowFacts {
  const { kind = 'note', status = 'done', title } = KNOWN[entry.code] ?? { title: entry.code }
  return {
    kind,
    title: title ?? lineOf(entry.text),
    status,
    startedAt: entry.at,
    ms: 0,
    code: entry.code,
  }
}
