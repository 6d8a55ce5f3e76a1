import {
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import { addressOf, go } from '../model/route.ts'
import { RowPages } from '../model/row-pages.ts'
import { filterText, queryText, tableQuery, type TableQuery } from '../model/store-query.ts'
import {
  columnsOf,
  firstColumns,
  labelOf,
  type StoreInfo,
  type StoresApi,
} from '../model/stores.ts'
import { Icon } from '../parts/icons.tsx'
import { LoadProblem } from '../parts/load-problem.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { MOST_ROWS, StoreGrid } from '../parts/store-grid.tsx'
import { StoreToolbar } from '../parts/store-toolbar.tsx'
import { STRINGS } from '../strings.ts'

/** What a store is called, its views, and a way to a new document. */
export function StoreHead({
  info: { name, documentCount, deadLetterCount, access },
  query,
  isDead,
}: {
  readonly info: StoreInfo
  readonly query: string
  readonly isDead: boolean
}): ReactNode {
  const text = STRINGS.stores
  const to = (show: TableQuery['show']): string =>
    addressOf({ view: 'store', store: name, query: queryText({ ...tableQuery(query), show }) })
  return (
    <>
      <header className="store-head">
        <a className="crumb" href={addressOf({ view: 'stores' })}>
          {text.title}
        </a>
        <h2>{labelOf(name)}</h2>
        <small className="muted">{text.rows(documentCount)}</small>
        <span className="space" />
        {access.write ? (
          <a className="button" href={to('new')}>
            <Icon name="plus" />
            {text.create}
          </a>
        ) : (
          <small className="tag plain">{text.readOnly}</small>
        )}
      </header>
      {deadLetterCount !== null && (
        <nav className="sub-nav" aria-label={text.tabs}>
          <a href={to('documents')} aria-current={isDead ? undefined : 'page'}>
            {text.documents}
          </a>
          <a href={to('dead')} aria-current={isDead ? 'page' : undefined}>
            {text.dead}
            {deadLetterCount > 0 && <b className="count">{deadLetterCount}</b>}
          </a>
        </nav>
      )}
    </>
  )
}

export interface StoreTableProps {
  readonly api: StoresApi
  readonly info: StoreInfo
  /** The newest change of the store's documents. */
  readonly change: number | undefined
  readonly query: string
}

/** Documents of a store as a table, as its address says. */
export function StoreTable({ api, info, change, query }: StoreTableProps): ReactNode {
  const { name: store, schema } = info
  const table = useMemo(() => tableQuery(query), [query])
  const columns = useMemo(() => columnsOf(schema), [schema])
  const shown = useMemo(() => {
    const picked = columns.filter(({ name }) => table.columns?.includes(name))
    return picked.length > 0 ? picked : firstColumns(columns)
  }, [columns, table.columns?.join()])
  const [filterField, setFilterField] = useState<string>()
  const filter = table.conditions.length > 0 ? filterText(table.conditions) : ''
  const { sort } = table
  const load = useCallback(
    (offset: number, limit: number, signal: AbortSignal) =>
      api.page(
        store,
        new URLSearchParams({
          limit: String(limit),
          offset: String(offset),
          ...(filter !== '' && { filter }),
          ...(sort !== '' && { sort }),
        }),
        signal,
      ),
    [api, store, filter, sort],
  )
  const rows = useRows(load, change)
  const onQuery = useCallback(
    (changed: TableQuery) => go({ view: 'store', store, query: queryText(changed) }),
    [store],
  )
  const addressOfSort = useCallback(
    (by: string) => addressOf({ view: 'store', store, query: queryText({ ...table, sort: by }) }),
    [store, table],
  )
  return (
    <>
      <StoreToolbar
        {...{ store, columns, shown, filterField, onQuery, load }}
        query={table}
        onFilterField={setFilterField}
      />
      <Notes
        rows={rows}
        hasFilter={filter !== ''}
        onClear={() => onQuery({ ...table, conditions: [] })}
      />
      <StoreGrid
        key={`${filter} ${sort}`}
        {...{ store, rows, sort, addressOfSort }}
        label={labelOf(store)}
        columns={shown}
        onFilter={setFilterField}
      />
    </>
  )
}

type Load = ConstructorParameters<typeof RowPages>[0]

function useRows(load: Load, change: number | undefined): RowPages {
  const rows = useMemo(() => new RowPages(load), [load])
  useEffect(() => {
    rows.open()
    return () => rows.close()
  }, [rows])
  useEffect(() => {
    if (change !== undefined) rows.invalidate()
  }, [rows, change])
  return rows
}

/** What stands between the toolbar and the rows. */
function Notes({
  rows,
  hasFilter,
  onClear,
}: {
  readonly rows: RowPages
  readonly hasFilter: boolean
  readonly onClear: () => void
}): ReactNode {
  useSyncExternalStore(rows.subscribe, rows.snapshot)
  const text = STRINGS.stores
  const { total, problem } = rows
  return (
    <>
      <LoadProblem problem={problem} onRetry={rows.refresh} />
      {hasFilter && total !== undefined && total > 0 && (
        <p className="found muted" role="status">
          {text.rows(total)}
        </p>
      )}
      {total !== undefined && total > MOST_ROWS && (
        <p className="note warning">{text.most(MOST_ROWS)}</p>
      )}
      {total === undefined && problem === undefined && <Skeleton />}
      {total === 0 && problem === undefined && (
        <div className="empty">
          <Icon name="stores" />
          <p>{hasFilter ? text.noMatch : text.noDocuments}</p>
          {hasFilter ? (
            <button type="button" onClick={onClear}>
              {text.clear}
            </button>
          ) : (
            <p className="muted">{text.noDocumentsHint}</p>
          )}
        </div>
      )}
    </>
  )
}
