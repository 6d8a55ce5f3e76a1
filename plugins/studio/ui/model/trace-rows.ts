import type { TraceKind, TraceRow, TraceStatus } from './trace.ts'

export interface TraceFilter {
  /** Kinds that are not shown. */
  readonly hidden: ReadonlySet<TraceKind>
  readonly errorsOnly: boolean
}

const ERRORS: ReadonlySet<TraceStatus> = new Set(['failed', 'refused', 'unknown'])

export const isErrorRow = ({ status }: TraceRow): boolean => ERRORS.has(status)

/** Keys of the rows that others are nested in. */
export function branchesOf(rows: readonly TraceRow[]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ parent }) => parent ?? []))
}

/** Rows that pass the filter and are in no collapsed row. */
export function visibleRows(
  rows: readonly TraceRow[],
  { hidden, errorsOnly }: TraceFilter,
  collapsed: ReadonlySet<string>,
): readonly TraceRow[] {
  const closed = new Set<string>()
  return rows.filter((row) => {
    const { key, parent, kind } = row
    const isInside = parent !== null && (closed.has(parent) || collapsed.has(parent))
    if (isInside) closed.add(key)
    if (isInside || hidden.has(kind)) return false
    return !errorsOnly || isErrorRow(row)
  })
}

/** Where a row stands in the time of its run, in percent of it. */
export interface Bar {
  readonly left: number
  readonly width: number
  readonly waits: boolean
}

/** Bars of all rows by their keys; those of sub-agents stand in the run of their parent. */
export function barsOf(rows: readonly TraceRow[]): ReadonlyMap<string, Bar> {
  const ends = new Map<string, number>()
  let root = ''
  const placed = rows.map((row) => {
    if (row.depth === 0) root = row.run.id
    const length = (row.ms ?? 0) + (row.waiting_ms ?? 0)
    ends.set(root, Math.max(ends.get(root) ?? 1, row.start_ms + length))
    return { row, root, length }
  })
  return new Map(
    placed.map(({ row, root: run, length }) => {
      const whole = ends.get(run) ?? 1
      const isOpen = row.status === 'running' || row.status === 'waiting'
      const reach = isOpen && length === 0 ? whole - row.start_ms : length
      const bar = {
        left: (100 * row.start_ms) / whole,
        width: (100 * reach) / whole,
        waits: row.waiting_ms !== undefined || row.status === 'waiting',
      }
      return [row.key, bar] as const
    }),
  )
}

export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000
    ? `${(bytes / 1_000).toFixed(1)} KB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`
}
