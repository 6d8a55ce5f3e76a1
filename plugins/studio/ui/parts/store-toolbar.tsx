import { useRef, useState, type ReactNode } from 'react'
import { exportRows, type ExportFormat } from '../model/export-rows.ts'
import { saveFile } from '../model/save-file.ts'
import { problemOf } from '../model/server.ts'
import { firstColumns, labelOf, type Column, type StorePage } from '../model/stores.ts'
import { isSortable, type TableQuery } from '../model/store-query.ts'
import { STRINGS } from '../strings.ts'
import { Popover } from './popover.tsx'
import { FilterChips, FilterEditor } from './store-filters.tsx'

export interface StoreToolbarProps {
  readonly store: string
  readonly columns: readonly Column[]
  readonly shown: readonly Column[]
  readonly query: TableQuery
  readonly onQuery: (query: TableQuery) => void
  /** The field whose filter is edited; `undefined`: none is, and '' any. */
  readonly filterField: string | undefined
  readonly onFilterField: (field: string | undefined) => void
  readonly load: (offset: number, limit: number, signal: AbortSignal) => Promise<StorePage>
}

/** Filter, columns and export of a table. */
export function StoreToolbar(props: StoreToolbarProps): ReactNode {
  const { columns, query, onQuery, filterField, onFilterField } = props
  const { conditions } = query
  return (
    <div className="store-toolbar">
      <Popover
        label={STRINGS.stores.filter}
        icon="filter"
        isOpen={filterField !== undefined}
        onToggle={(isOpen) => onFilterField(isOpen ? '' : undefined)}
      >
        <FilterEditor
          key={filterField}
          {...{ columns, conditions }}
          field={filterField === '' ? undefined : filterField}
          onApply={(applied) => {
            onFilterField(undefined)
            onQuery({ ...query, conditions: applied })
          }}
        />
      </Popover>
      <FilterChips
        {...{ columns, conditions }}
        onChange={(changed) => onQuery({ ...query, conditions: changed })}
      />
      <span className="space" />
      <ColumnPicker {...props} />
      <Exporter {...props} />
    </div>
  )
}

function ColumnPicker({ columns, shown, query, onQuery }: StoreToolbarProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const text = STRINGS.stores
  const names = shown.map(({ name }) => name)
  const toggle = (name: string, isShown: boolean): void => {
    const wanted = new Set(isShown ? [...names, name] : names.filter((each) => each !== name))
    onQuery({
      ...query,
      columns: columns.map((column) => column.name).filter((each) => wanted.has(each)),
    })
  }
  return (
    <Popover label={text.pickColumns} icon="columns" isOpen={isOpen} onToggle={setOpen}>
      <label>
        {text.order}
        <select
          value={query.sort}
          onChange={({ target }) => onQuery({ ...query, sort: target.value })}
        >
          <option value="">{text.columns.key}</option>
          {columns.filter(isSortable).flatMap(({ name }) => [
            <option key={name} value={name}>
              {text.ascending(labelOf(name))}
            </option>,
            <option key={`-${name}`} value={`-${name}`}>
              {text.descending(labelOf(name))}
            </option>,
          ])}
        </select>
      </label>
      <div className="choices">
        {columns.map(({ name }) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={names.includes(name)}
              disabled={names.length === 1 && names[0] === name}
              onChange={({ target }) => toggle(name, target.checked)}
            />
            {labelOf(name)}
          </label>
        ))}
      </div>
      {query.columns && firstColumns(columns).length > 0 && (
        <button
          type="button"
          className="link"
          onClick={() => onQuery({ ...query, columns: undefined })}
        >
          {text.resetColumns}
        </button>
      )}
    </Popover>
  )
}

function Exporter({ store, shown, load }: StoreToolbarProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const [progress, setProgress] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const running = useRef<AbortController>(undefined)
  const text = STRINGS.stores
  const save = async (format: ExportFormat): Promise<void> => {
    const stop = new AbortController()
    running.current = stop
    setProblem(undefined)
    setProgress('')
    try {
      const file = await exportRows({
        format,
        columns: shown.map(({ name }) => name),
        load,
        onProgress: (done, total) => setProgress(text.exporting(done, total)),
        signal: stop.signal,
      })
      saveFile(file, `${store}.${format}`)
      setOpen(false)
    } catch (cause) {
      if (!stop.signal.aborted) setProblem(problemOf(cause))
    }
    setProgress(undefined)
  }
  return (
    <Popover label={text.exportRows} icon="download" isOpen={isOpen} onToggle={setOpen}>
      {progress === undefined ? (
        <div className="menu">
          <button type="button" className="quiet" onClick={() => void save('csv')}>
            {text.exportCsv}
          </button>
          <button type="button" className="quiet" onClick={() => void save('json')}>
            {text.exportJson}
          </button>
        </div>
      ) : (
        <p className="progress" role="status">
          {progress}{' '}
          <button type="button" className="link" onClick={() => running.current?.abort()}>
            {text.cancel}
          </button>
        </p>
      )}
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
    </Popover>
  )
}
