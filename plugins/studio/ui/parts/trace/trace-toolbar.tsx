import type { ReactNode } from 'react'
import { compactText, costText, durationText } from '../../model/format.ts'
import type { TraceFilter } from '../../model/trace-rows.ts'
import { TRACE_KINDS, type TraceKind, type TraceLog } from '../../model/trace.ts'
import { KindIcon } from './trace-icons.tsx'
import { TRACE } from './trace-strings.ts'
import type { TraceMode } from './trace-types.ts'

export interface TraceToolbarProps {
  readonly log: TraceLog
  readonly mode: TraceMode
  readonly setMode: (mode: TraceMode) => void
  readonly filter: TraceFilter
  readonly setFilter: (filter: TraceFilter) => void
}

/** The switch of the view, the filters and the sums. */
export function TraceToolbar(props: TraceToolbarProps): ReactNode {
  const { log, mode, setMode, filter, setFilter } = props
  const present = new Set(log.rows.map(({ kind }) => kind))
  const toggle = (kind: TraceKind): void => {
    const hidden = new Set(filter.hidden)
    if (!hidden.delete(kind)) hidden.add(kind)
    setFilter({ ...filter, hidden })
  }
  return (
    <div className="trace-bar">
      <div className="trace-switch" role="group" aria-label={TRACE.view}>
        {(['rows', 'waterfall'] as const).map((one) => (
          <button
            key={one}
            type="button"
            className="quiet"
            aria-pressed={mode === one}
            onClick={() => setMode(one)}
          >
            {TRACE[one]}
          </button>
        ))}
      </div>
      <button
        type="button"
        className="quiet trace-errors"
        aria-pressed={filter.errorsOnly}
        onClick={() => setFilter({ ...filter, errorsOnly: !filter.errorsOnly })}
      >
        {TRACE.errorsOnly}
      </button>
      <div className="trace-kinds" role="group" aria-label={TRACE.kinds}>
        {TRACE_KINDS.filter((kind) => present.has(kind)).map((kind) => (
          <button
            key={kind}
            type="button"
            className="quiet"
            title={TRACE.kind[kind]}
            aria-label={TRACE.kind[kind]}
            aria-pressed={!filter.hidden.has(kind)}
            onClick={() => toggle(kind)}
          >
            <KindIcon kind={kind} />
          </button>
        ))}
      </div>
      <Sums log={log} />
    </div>
  )
}

function Sums({ log: { rows, runs } }: { readonly log: TraceLog }): ReactNode {
  const sum = (of: (run: (typeof runs)[number]) => number): number =>
    runs.reduce((total, run) => total + of(run), 0)
  const errors = sum((run) => run.errors)
  const waiting = sum(({ ms_waiting: ms }) => ms)
  const facts = [
    `${rows.length.toLocaleString('en')} ${rows.length === 1 ? 'row' : 'rows'}`,
    `${compactText(sum(({ tokens }) => tokens.input + tokens.output))} tokens`,
    ...(runs.some(({ cost }) => cost !== null) ? [costText(sum(({ cost }) => cost ?? 0))] : []),
    durationText(sum(({ ms_working: ms }) => ms)),
    ...(waiting > 0 ? [`${TRACE.waited} ${durationText(waiting)}`] : []),
  ]
  return (
    <p className="trace-sums muted">
      {facts.join(' · ')}
      {errors > 0 && (
        <span className="trace-bad">
          {' · '}
          {errors} {errors === 1 ? 'error' : 'errors'}
        </span>
      )}
    </p>
  )
}
