import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight } from 'lucide-react'
import {
  memo,
  useEffect,
  useId,
  useMemo,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { compactText, costText, durationText } from '../../model/format.ts'
import { barsOf, type Bar } from '../../model/trace-rows.ts'
import type { TraceRow } from '../../model/trace.ts'
import { RowActions } from './row-actions.tsx'
import { KindIcon, StatusMark } from './trace-icons.tsx'
import { TRACE } from './trace-strings.ts'
import type { TraceActions, TraceMode } from './trace-types.ts'

const ROW_HEIGHT = 36
const OVERSCAN = 6

export interface TraceListProps {
  readonly tree: RefObject<HTMLDivElement | null>
  readonly rows: readonly TraceRow[]
  /** Those that a filter hides, too: they have their part of the time. */
  readonly all: readonly TraceRow[]
  readonly mode: TraceMode
  readonly branches: ReadonlySet<string>
  readonly collapsed: ReadonlySet<string>
  readonly current: string | undefined
  readonly toggle: (key: string) => void
  readonly onPick: (key: string) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly actions: TraceActions
}

/** The rows that are in sight, in a scrolling tree. */
export function TraceList(props: TraceListProps): ReactNode {
  const { tree, rows, all, mode, current, onKeyDown } = props
  const name = useId()
  const bars = useMemo(() => (mode === 'waterfall' ? barsOf(all) : undefined), [all, mode])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => tree.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (at) => rows[at]?.key ?? at,
    overscan: OVERSCAN,
    useFlushSync: false,
  })
  const at = rows.findIndex(({ key }) => key === current)
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' })
  }, [at, virtual])
  const items = virtual.getVirtualItems()
  // a row out of sight is not in the page, and cannot be pointed at
  const isInPage = items.some(({ index }) => index === at)
  return (
    <div
      ref={tree}
      className={`trace-tree ${mode}`}
      role="tree"
      tabIndex={0}
      aria-label={TRACE.label}
      aria-activedescendant={isInPage ? `${name}-${at}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div className="trace-space" role="none" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index]
          return (
            row && (
              <Row
                {...props}
                key={row.key}
                row={row}
                id={`${name}-${index}`}
                top={start}
                place={index + 1}
                bar={bars?.get(row.key)}
              />
            )
          )
        })}
      </div>
    </div>
  )
}

interface RowProps extends TraceListProps {
  readonly row: TraceRow
  readonly id: string
  readonly top: number
  readonly place: number
  readonly bar: Bar | undefined
}

/** Scrolling draws only the rows that come into sight. */
const Row = memo(function Row(props: RowProps): ReactNode {
  const { row, id, top, place, rows, branches, collapsed, current, onPick, mode } = props
  const isBranch = branches.has(row.key)
  const isCurrent = row.key === current
  return (
    <div
      id={id}
      className={`trace-row ${row.status}${isCurrent ? ' current' : ''}`}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-setsize={rows.length}
      aria-posinset={place}
      aria-selected={isCurrent}
      aria-expanded={isBranch ? !collapsed.has(row.key) : undefined}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onPick(row.key)}
    >
      <Title {...props} isBranch={isBranch} />
      {mode === 'rows' ? <Figures row={row} /> : <Track row={row} bar={props.bar} />}
      <RowActions row={row} actions={props.actions} />
    </div>
  )
})

function Title({
  row,
  collapsed,
  toggle,
  isBranch,
}: Pick<RowProps, 'row' | 'collapsed' | 'toggle'> & { readonly isBranch: boolean }): ReactNode {
  const { key, kind, title, status, depth } = row
  return (
    <span className="trace-title" style={{ paddingLeft: depth * 16 }}>
      {isBranch ? (
        <button
          type="button"
          className={collapsed.has(key) ? 'trace-fold' : 'trace-fold unfolded'}
          tabIndex={-1}
          aria-label={collapsed.has(key) ? TRACE.expand : TRACE.collapse}
          onClick={(event) => {
            event.stopPropagation()
            toggle(key)
          }}
        >
          <ChevronRight className="icon" aria-hidden="true" />
        </button>
      ) : (
        <span className="trace-fold" />
      )}
      <StatusMark status={status} />
      <span className="trace-kind" title={TRACE.kind[kind]}>
        <KindIcon kind={kind} />
        <span className="trace-unseen">{TRACE.kind[kind]}</span>
      </span>
      <span className="trace-text" title={title}>
        {title}
      </span>
    </span>
  )
}

const sumOf = (tokens: { readonly input: number; readonly output: number }): string =>
  `${compactText(tokens.input)} → ${compactText(tokens.output)}`

function Figures({ row }: { readonly row: TraceRow }): ReactNode {
  const { model, agent } = row
  const tokens = model?.tokens ?? agent?.tokens
  const cost = model?.cost ?? agent?.cost
  return (
    <>
      <span className="trace-model muted">{model?.model}</span>
      <span className="trace-tokens">{tokens && sumOf(tokens)}</span>
      <span className="trace-cost">{cost !== undefined && cost !== null && costText(cost)}</span>
      <Time row={row} />
    </>
  )
}

function Time({ row: { ms, waiting_ms: waiting, status } }: { readonly row: TraceRow }): ReactNode {
  const isOpen = status === 'running' || status === 'waiting'
  if (waiting !== undefined && waiting !== null)
    return (
      <span className="trace-time waits" title={TRACE.waited}>
        {durationText(waiting)}
      </span>
    )
  if (isOpen) return <span className="trace-time">{TRACE.status[status]}</span>
  return <span className="trace-time">{ms !== null && ms > 0 && durationText(ms)}</span>
}

function Track({ row, bar }: { readonly row: TraceRow; readonly bar: Bar | undefined }): ReactNode {
  return (
    <>
      <span className="trace-track" aria-hidden="true">
        {bar && (
          <i
            className={bar.waits ? 'bar-waits' : `bar-${row.kind}`}
            style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
          />
        )}
      </span>
      <Time row={row} />
    </>
  )
}
