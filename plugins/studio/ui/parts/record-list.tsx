import type { Json } from '@amodal/sdk'
import { useState, type FormEvent, type ReactNode } from 'react'
import type { RecordAction, RecordCell, RecordList, RecordSearch } from '../../src/record-list.ts'
import { addressOf } from '../model/route.ts'
import { problemOf } from '../model/server.ts'

export interface RecordsProps {
  /** What the route of the view has answered. */
  readonly data: Json
  /** Of the view, by which its parts are addressed. */
  readonly view: string
  readonly act: (action: RecordAction) => Promise<void>
  /** An action was taken: what is shown may be out of date. */
  readonly onActed: () => void
}

/** Records of a view of another plugin, with what a person may do to them. */
export function Records({ data, view, act, onActed }: RecordsProps): ReactNode {
  const { title, columns, records, empty, actions, search, older } = data as unknown as RecordList
  const hasActions = records.some((record) => (record.actions ?? []).length > 0)
  return (
    <section className="widget record-list" data-widget="record-list">
      {(title !== undefined || actions) && (
        <header className="view-head">
          {title !== undefined && <h3>{title}</h3>}
          <Actions {...{ actions, act, onActed }} />
        </header>
      )}
      {search && <Search search={search} view={view} />}
      {records.length === 0 ? (
        <p className="muted hint">{empty ?? 'There is nothing to show.'}</p>
      ) : (
        <div className="scroll" tabIndex={0} role="region" aria-label={title ?? columns[0]}>
          <table>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
                {hasActions && (
                  <th scope="col">
                    <span className="sr">Actions</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {records.map((record, at) => (
                <tr key={at}>
                  {record.cells.map((cell, column) => (
                    <td key={column}>
                      <Cell cell={typeof cell === 'string' ? { text: cell } : cell} view={view} />
                    </td>
                  ))}
                  {hasActions && (
                    <td>
                      <Actions actions={record.actions} {...{ act, onActed }} />
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {older && <a href={partOf(view, older)}>Older ones</a>}
    </section>
  )
}

const partOf = (key: string, query: Readonly<Record<string, string>>): string =>
  addressOf({ view: 'more', key, query: new URLSearchParams(query).toString() })

function Search({
  search: { label, parameter, value = '', query = {} },
  view,
}: {
  readonly search: RecordSearch
  readonly view: string
}): ReactNode {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const entered = new FormData(event.currentTarget).get(parameter)
    const words = typeof entered === 'string' ? entered.trim() : ''
    location.assign(partOf(view, words === '' ? query : { ...query, [parameter]: words }))
  }
  return (
    <form className="record-search" role="search" onSubmit={submit}>
      <input
        key={value}
        type="search"
        name={parameter}
        defaultValue={value}
        aria-label={label}
        placeholder={label}
      />
      <button type="submit">Search</button>
    </form>
  )
}

function Cell({ cell, view }: { readonly cell: RecordCell; readonly view: string }): ReactNode {
  const { text = '', time, tone, session, open } = cell
  const shown = (
    <>
      {text}
      {text !== '' && time !== undefined && ' '}
      {time !== undefined && <time dateTime={time}>{new Date(time).toLocaleString()}</time>}
    </>
  )
  if (session !== undefined) return <a href={addressOf({ view: 'chat', session })}>{shown}</a>
  if (open) return <a href={partOf(view, open)}>{shown}</a>
  return <span className={tone}>{shown}</span>
}

/** Buttons, of which one is pressed at a time; a question stands where its button was. */
function Actions({
  actions = [],
  act,
  onActed,
}: { readonly actions: readonly RecordAction[] | undefined } & Pick<
  RecordsProps,
  'act' | 'onActed'
>): ReactNode {
  const [asked, setAsked] = useState<RecordAction>()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const take = async (action: RecordAction): Promise<void> => {
    setAsked(undefined)
    setProblem(undefined)
    setBusy(true)
    try {
      await act(action)
    } catch (cause) {
      setProblem(problemOf(cause))
    }
    setBusy(false)
    onActed()
  }
  if (asked)
    return (
      <div className="actions" role="group" aria-label={asked.confirm}>
        <span>{asked.confirm}</span>
        <button type="button" className="danger" autoFocus onClick={() => void take(asked)}>
          {asked.label}
        </button>
        <button type="button" onClick={() => setAsked(undefined)}>
          Back
        </button>
      </div>
    )
  return (
    <div className="actions">
      {actions.map((action) => (
        <button
          key={`${action.label} ${action.path}`}
          type="button"
          disabled={busy}
          onClick={() => (action.confirm === undefined ? void take(action) : setAsked(action))}
        >
          {action.label}
        </button>
      ))}
      {problem !== undefined && (
        <span className="bad" role="alert">
          {problem}
        </span>
      )}
    </div>
  )
}
