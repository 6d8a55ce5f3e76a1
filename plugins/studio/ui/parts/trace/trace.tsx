import { useCallback, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { Live } from '../../model/live.ts'
import type { Server } from '../../model/server.ts'
import { branchesOf, visibleRows, type TraceFilter } from '../../model/trace-rows.ts'
import { useTrace, type TraceRow } from '../../model/trace.ts'
import { Skeleton } from '../skeleton.tsx'
import '../../styles/trace.css'
import { TraceInspector } from './trace-inspector.tsx'
import { TraceList } from './trace-list.tsx'
import { TRACE } from './trace-strings.ts'
import { TraceToolbar } from './trace-toolbar.tsx'
import type { TraceActions, TraceMode } from './trace-types.ts'

export interface TraceProps extends TraceActions {
  readonly server: Server
  readonly session: string
  readonly live: Live
  /** Key of the row in the inspector, as the address has it. */
  readonly selected: string | undefined
  readonly onSelect: (key: string | undefined) => void
  /** Opens the session of a sub-agent. */
  readonly onOpen: (session: string) => void
}

const ALL: TraceFilter = { hidden: new Set(), errorsOnly: false }
const HINT_ROWS = 8

/** What a session did, step by step, as rows or as a waterfall, with an inspector. */
export function Trace(props: TraceProps): ReactNode {
  const { server, session, live, selected, onSelect, onOpen, ...actions } = props
  const log = useTrace(server, session, live)
  const [mode, setMode] = useState<TraceMode>('rows')
  const [filter, setFilter] = useState(ALL)
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set())
  const [active, setActive] = useState<string>()
  const tree = useRef<HTMLDivElement>(null)

  const rows = useMemo(
    () => visibleRows(log.rows, filter, collapsed),
    [log.rows, filter, collapsed],
  )
  const branches = useMemo(() => branchesOf(log.rows), [log.rows])
  const current = selected ?? active
  const inspected =
    selected === undefined ? undefined : log.rows.find(({ key }) => key === selected)

  const move = (key: string): void => {
    setActive(key)
    if (selected !== undefined) onSelect(key)
  }
  const close = useCallback(() => {
    setActive(selected)
    onSelect(undefined)
    tree.current?.focus()
  }, [onSelect, selected])
  const toggle = useCallback((key: string) => {
    setCollapsed((now) => {
      const next = new Set(now)
      if (!next.delete(key)) next.add(key)
      return next
    })
  }, [])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const at = rows.findIndex(({ key }) => key === current)
    if (event.key === 'Escape' && selected !== undefined) close()
    else if (event.key === 'Enter' && rows[at]) onSelect(rows[at].key)
    else if (!turn(event.key, rows, at, { collapsed, branches, move, toggle })) return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <section className="trace" aria-label={TRACE.label}>
      <TraceToolbar {...{ log, mode, setMode, filter, setFilter }} />
      <div className={inspected ? 'trace-panes open' : 'trace-panes'}>
        <div className="trace-main">
          {log.problem && (
            <div className="note error" role="alert">
              <p>
                {log.problem.message} <code>{log.problem.code}</code>
              </p>
              <button type="button" onClick={log.reload}>
                {TRACE.retry}
              </button>
            </div>
          )}
          {!log.loaded && log.rows.length === 0 && !log.problem && <Skeleton rows={HINT_ROWS} />}
          {log.loaded && log.rows.length === 0 && (
            <div className="empty">
              <p>{TRACE.empty}</p>
              <p className="muted">{TRACE.emptyHint}</p>
            </div>
          )}
          {log.rows.length > 0 && rows.length === 0 && (
            <div className="empty">
              <p>{TRACE.noMatch}</p>
              <button type="button" onClick={() => setFilter(ALL)}>
                {TRACE.clear}
              </button>
            </div>
          )}
          {rows.length > 0 && (
            <TraceList
              {...{ tree, rows, all: log.rows, mode, branches, collapsed, toggle, onKeyDown }}
              current={current}
              onPick={onSelect}
              actions={actions}
            />
          )}
          {!log.loaded && log.rows.length > 0 && (
            <p className="trace-more muted" role="status">
              {TRACE.loading}
            </p>
          )}
        </div>
        {inspected && (
          <TraceInspector {...{ server, actions, onOpen }} row={inspected} onClose={close} />
        )}
      </div>
    </section>
  )
}

interface Moves {
  readonly collapsed: ReadonlySet<string>
  readonly branches: ReadonlySet<string>
  readonly move: (key: string) => void
  readonly toggle: (key: string) => void
}

/** Rows of a page of the screen. */
const PAGE_ROWS = 12

/** Moves through the rows as in any tree. @returns whether the key means something here */
function turn(
  key: string,
  rows: readonly TraceRow[],
  at: number,
  { collapsed, branches, move, toggle }: Moves,
): boolean {
  const row = rows[at]
  const steps: Readonly<Partial<Record<string, number>>> = {
    ArrowDown: at + 1,
    ArrowUp: Math.max(0, at - 1),
    PageDown: Math.min(rows.length - 1, at + PAGE_ROWS),
    PageUp: Math.max(0, at - PAGE_ROWS),
    Home: 0,
    End: rows.length - 1,
  }
  const to = steps[key]
  if (to !== undefined) {
    const next = rows[to]
    if (next) move(next.key)
    return true
  }
  if (!row) return false
  const isBranch = branches.has(row.key)
  if (key === 'ArrowRight' && isBranch && collapsed.has(row.key)) toggle(row.key)
  else if (key === 'ArrowLeft' && isBranch && !collapsed.has(row.key)) toggle(row.key)
  else if (key === 'ArrowLeft' && row.parent !== null) move(row.parent)
  else return false
  return true
}
