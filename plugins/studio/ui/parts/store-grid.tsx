import { useVirtualizer } from '@tanstack/react-virtual'
import {
  memo,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type CSSProperties,
  type HTMLAttributes,
  type ReactNode,
  type RefObject,
} from 'react'
import { plainText } from '../model/exact.ts'
import { addressOf, go } from '../model/route.ts'
import type { RowPages } from '../model/row-pages.ts'
import type { StoredDocument } from '../model/server.ts'
import { isFilterable, isSortable } from '../model/store-query.ts'
import { labelOf, titleField, valueAt, type Column, type FieldType } from '../model/stores.ts'
import { STRINGS } from '../strings.ts'
import { ago } from './ago.ts'
import { EntityValue } from './entity-value.tsx'
import { Icon } from './icons.tsx'

/** px; browsers draw nothing beyond some ten millions. */
const ROW_HEIGHT = 36
const PHONE_ROW_HEIGHT = 58
export const MOST_ROWS = 250_000
const NARROW = '(max-width: 760px)'

export interface StoreGridProps {
  readonly store: string
  readonly label: string
  readonly columns: readonly Column[]
  readonly rows: RowPages
  readonly sort: string
  readonly addressOfSort: (sort: string) => string
  readonly onFilter: (field: string) => void
}

/** Rows of a store of any length: those in view are drawn and loaded. */
export const StoreGrid = memo(function StoreGrid(props: StoreGridProps): ReactNode {
  const { store, label, columns, rows } = props
  useSyncExternalStore(rows.subscribe, rows.snapshot)
  const isNarrow = useIsNarrow()
  const scroller = useRef<HTMLDivElement>(null)
  const rowHeight = isNarrow ? PHONE_ROW_HEIGHT : ROW_HEIGHT
  const count = Math.min(rows.total ?? 0, MOST_ROWS)
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    useFlushSync: false,
    scrollPaddingStart: isNarrow ? 0 : ROW_HEIGHT,
  })
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight])
  const items = virtualizer.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0
  useEffect(() => rows.want(first, last), [rows, first, last])
  const keyboard = useRowKeys(scroller, count, (index) => virtualizer.scrollToIndex(index))
  const title = titleField(columns)
  const style = { '--columns': templateOf(columns), '--width': `${widthOf(columns)}px` }
  return (
    <div
      ref={scroller}
      className="grid-scroll"
      data-narrow={isNarrow}
      tabIndex={0}
      role="region"
      aria-label={label}
      style={style as CSSProperties}
      {...keyboard}
    >
      <div role="table" aria-label={label} aria-rowcount={(rows.total ?? 0) + 1}>
        <Header {...props} />
        <div
          role="rowgroup"
          className="grid-rows"
          style={{ height: `${virtualizer.getTotalSize()}px` }}
        >
          {items.map(({ index, start }) => (
            <Row
              key={index}
              {...{ store, columns, index, start, title }}
              document={rows.row(index)}
              height={rowHeight}
              isNarrow={isNarrow}
            />
          ))}
        </div>
      </div>
    </div>
  )
})

/** Arrow keys walk from row to row, also to those that are not drawn yet. */
function useRowKeys(
  scroller: RefObject<HTMLDivElement | null>,
  count: number,
  scrollTo: (index: number) => void,
): Pick<HTMLAttributes<HTMLDivElement>, 'onKeyDown' | 'onFocus'> {
  const row = useRef<number>(undefined)
  const isPending = useRef(false)
  const focusRow = (): void => {
    const link = scroller.current?.querySelector<HTMLElement>(`[data-index="${row.current}"] a`)
    if (!link) return
    isPending.current = false
    link.focus({ preventScroll: true })
  }
  // the row may have been drawn by this render
  useLayoutEffect(() => {
    if (isPending.current) focusRow()
  })
  return {
    onFocus: ({ target }) => {
      const index = target.closest('[data-index]')?.getAttribute('data-index') ?? null
      if (!isPending.current) row.current = index === null ? undefined : Number(index)
    },
    onKeyDown: (event) => {
      const step = STEPS[event.key]
      if (step === undefined || row.current === undefined) return
      event.preventDefault()
      row.current = Math.max(0, Math.min(count - 1, row.current + step))
      isPending.current = true
      scrollTo(row.current)
      focusRow()
    },
  }
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

function Header({ columns, sort, addressOfSort, onFilter }: StoreGridProps): ReactNode {
  const text = STRINGS.stores
  return (
    <div role="rowgroup" className="grid-head">
      <div role="row" aria-rowindex={1} className="grid-row">
        {columns.map((column) => {
          const { name, field } = column
          const label = labelOf(name)
          const direction = directionOf(sort, name)
          return (
            <span
              key={name}
              role="columnheader"
              className={alignOf(field.type)}
              aria-sort={isSortable(column) ? direction : undefined}
              title={field.description}
            >
              {isSortable(column) ? (
                <a
                  href={addressOfSort(direction === 'ascending' ? `-${name}` : name)}
                  aria-label={text.sortBy(label)}
                >
                  {label}
                  <i aria-hidden="true">{ARROWS[direction]}</i>
                </a>
              ) : (
                label
              )}
              {isFilterable(column) && (
                <button
                  type="button"
                  className="quiet"
                  aria-label={text.filterBy(label)}
                  onClick={() => onFilter(name)}
                >
                  <Icon name="filter" />
                </button>
              )}
            </span>
          )
        })}
        <span role="columnheader">{text.columns.updated}</span>
        <span role="columnheader">
          <span className="sr">{text.copyRow}</span>
        </span>
      </div>
    </div>
  )
}

const ARROWS = { ascending: '↑', descending: '↓', none: '' } as const

interface RowProps {
  readonly store: string
  readonly columns: readonly Column[]
  readonly title: Column | undefined
  readonly index: number
  /** px from the first row. */
  readonly start: number
  readonly height: number
  /** `undefined` until it has been loaded. */
  readonly document: StoredDocument | undefined
  readonly isNarrow: boolean
}

const Row = memo(function Row(props: RowProps): ReactNode {
  const { store, columns, index, start, height, document, isNarrow } = props
  const place = {
    role: 'row',
    'aria-rowindex': index + 2,
    'data-index': index,
    style: { height: `${height}px`, transform: `translateY(${start}px)` },
  }
  if (!document)
    return (
      <div {...place} className="grid-row loading" aria-busy="true">
        <span role="cell">
          <i />
        </span>
      </div>
    )
  const route = { view: 'store', store, key: document.key, query: '' } as const
  const { payload, meta, key } = document
  if (isNarrow)
    return (
      <div {...place} className="grid-row">
        <NarrowCell {...props} document={document} />
      </div>
    )
  return (
    <div
      {...place}
      className="grid-row"
      onClick={({ target }) => {
        const isControl = target instanceof Element && target.closest('a, button') !== null
        if (!isControl && getSelection()?.isCollapsed !== false) go(route)
      }}
    >
      {columns.map(({ name, field: { type } }, at) => (
        <span key={name} role="cell" className={alignOf(type)}>
          {at === 0 ? (
            <a href={addressOf(route)}>
              {valueAt(payload, name) == null ? (
                key
              ) : (
                <EntityValue value={valueAt(payload, name)} type={type} />
              )}
            </a>
          ) : (
            <EntityValue value={valueAt(payload, name)} type={type} />
          )}
        </span>
      ))}
      <span role="cell" className="muted" title={new Date(meta.computedAt).toLocaleString()}>
        {ago(meta.computedAt)}
        {meta.stale && <small className="warn"> {STRINGS.document.stale}</small>}
      </span>
      <span role="cell" className="tools">
        <CopyRow document={document} />
      </span>
    </div>
  )
})

/** A row of a phone: what the document is, and what stands first beside that. */
function NarrowCell({
  store,
  columns,
  title,
  document: { key, payload },
}: RowProps & { readonly document: StoredDocument }): ReactNode {
  const name = title && valueAt(payload, title.name)
  const badge = columns.find(({ field: { type } }) => type === 'enum')
  const second = columns.find(
    (column) =>
      column !== title && column !== badge && plainText(valueAt(payload, column.name)) !== key,
  )
  return (
    <span role="cell">
      <a href={addressOf({ view: 'store', store, key, query: '' })}>
        <b>{typeof name === 'string' ? name : key}</b>
        {badge && <EntityValue value={valueAt(payload, badge.name)} type="enum" />}
        <small className="muted">
          {typeof name === 'string' ? key : ''}
          {typeof name === 'string' && second ? ' · ' : ''}
          {second && <EntityValue value={valueAt(payload, second.name)} type={second.field.type} />}
        </small>
      </a>
    </span>
  )
}

function CopyRow({ document: { payload } }: { readonly document: StoredDocument }): ReactNode {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const label = isCopied ? STRINGS.stores.copied : STRINGS.stores.copyRow
  return (
    <button
      type="button"
      className="quiet"
      aria-label={label}
      title={label}
      onClick={() =>
        void navigator.clipboard.writeText(JSON.stringify(payload, null, 2)).then(
          () => setCopied(true),
          () => undefined, // not allowed here
        )
      }
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  )
}

const WIDTHS: Readonly<Record<FieldType, number>> = {
  string: 180,
  ref: 140,
  enum: 110,
  boolean: 100,
  number: 110,
  datetime: 205,
  array: 180,
  object: 180,
}
const UPDATED_WIDTH = 100
const TOOLS_WIDTH = 44

const widthOfColumn = ({ name, field: { type } }: Column): number =>
  Math.max(WIDTHS[type], labelOf(name).length * 7 + 62)
const isElastic = ({ field: { type } }: Column): boolean => type === 'string' || type === 'array'

const templateOf = (columns: readonly Column[]): string =>
  [
    ...columns.map((column) =>
      isElastic(column)
        ? `minmax(${widthOfColumn(column)}px, 1fr)`
        : `minmax(${widthOfColumn(column)}px, 0.4fr)`,
    ),
    `${UPDATED_WIDTH}px`,
    `${TOOLS_WIDTH}px`,
  ].join(' ')

const widthOf = (columns: readonly Column[]): number =>
  columns.reduce((sum, column) => sum + widthOfColumn(column), UPDATED_WIDTH + TOOLS_WIDTH)

const alignOf = (type: FieldType): string | undefined =>
  type === 'number' ? 'align-right' : undefined

function directionOf(sort: string, name: string): 'ascending' | 'descending' | 'none' {
  if (sort === name) return 'ascending'
  return sort === `-${name}` ? 'descending' : 'none'
}

const useIsNarrow = (): boolean => useSyncExternalStore(onNarrow, isNarrowNow)
const isNarrowNow = (): boolean => matchMedia(NARROW).matches
const onNarrow = (listener: () => void): (() => void) => {
  const media = matchMedia(NARROW)
  media.addEventListener('change', listener)
  return () => media.removeEventListener('change', listener)
}
