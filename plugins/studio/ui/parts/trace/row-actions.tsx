import { FlaskConical, GitBranch, Repeat2, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { TraceRow } from '../../model/trace.ts'
import { TRACE } from './trace-strings.ts'
import type { TraceActions } from './trace-types.ts'

interface RowActionsProps {
  readonly row: TraceRow
  readonly actions: TraceActions
  /** With their names beside them, and reached with Tab; otherwise the inspector has those. */
  readonly words?: boolean
}

/** What can be done from a row. Sub-agents are no conversations of their own. */
export function RowActions({ row, actions, words = false }: RowActionsProps): ReactNode {
  const { onFork, onPromote, onReplay } = actions
  if (row.depth > 0) return null
  const all: readonly (readonly [string, LucideIcon, ((row: TraceRow) => void) | undefined])[] = [
    [TRACE.fork, GitBranch, onFork],
    [TRACE.promote, FlaskConical, onPromote],
    [TRACE.replay, Repeat2, onReplay],
  ]
  return (
    <span className={words ? 'trace-actions words' : 'trace-actions'}>
      {all.map(
        ([name, Drawing, act]) =>
          act && (
            <button
              key={name}
              type="button"
              className="quiet"
              tabIndex={words ? 0 : -1}
              title={name}
              aria-label={words ? undefined : name}
              onClick={(event) => {
                event.stopPropagation()
                act(row)
              }}
            >
              <Drawing className="icon" aria-hidden="true" />
              {words && name}
            </button>
          ),
      )}
    </span>
  )
}
