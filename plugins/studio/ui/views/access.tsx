import { useCallback, useMemo, useState, type ReactNode } from 'react'
import { go } from '../model/route.ts'
import type { RightShown, RightsShown, Server } from '../model/server.ts'
import { Icon } from '../parts/icons.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Status, type Tone } from '../parts/status.tsx'
import { STRINGS } from '../strings.ts'
import { useReport } from './use-report.ts'
import '../styles/places.css'

export interface AccessProps {
  readonly server: Server
  /** Of the address: `role`, and `q` to search for. */
  readonly query: string
}

/** What each role may do: rights below each other, roles beside each other. */
export function Access({ server, query }: AccessProps): ReactNode {
  const ask = useCallback(() => server.rights(), [server])
  const { value, problem, refresh } = useReport(ask)
  const text = STRINGS.access
  return (
    <section className="view wide" aria-labelledby="access-title">
      <header className="view-head">
        <h2 id="access-title">{text.title}</h2>
        <button type="button" className="quiet" onClick={refresh}>
          {text.refresh}
        </button>
      </header>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {!value && problem === undefined && <Skeleton />}
      {value && <Matrix rights={value} query={query} />}
    </section>
  )
}

/** Roles that fit beside each other; with more of them, one is picked. */
const MOST_COLUMNS = 5

function Matrix({
  rights: { subjects },
  query,
}: {
  readonly rights: RightsShown
  readonly query: string
}): ReactNode {
  const text = STRINGS.access
  const given = useMemo(() => new URLSearchParams(query), [query])
  const role = given.get('role') ?? ''
  const [search, setSearch] = useState(given.get('q') ?? '')
  const shown = subjects.some(({ name }) => name === role)
    ? subjects.filter(({ name }) => name === role)
    : subjects.slice(0, MOST_COLUMNS)
  const groups = useMemo(() => groupsOf(shown, search), [shown, search])
  const pick = (name: string): void => {
    const next = new URLSearchParams({ ...(name !== '' && { role: name }) })
    go({ view: 'access', query: next.toString() })
  }
  return (
    <>
      <div className="filters">
        <label className="search">
          <span className="sr">{text.search}</span>
          <Icon name="search" />
          <input
            type="search"
            placeholder={text.search}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </label>
        {subjects.length > 1 && (
          <select
            aria-label={text.role}
            value={role}
            onChange={(event) => pick(event.target.value)}
          >
            <option value="">{text.allRoles}</option>
            {subjects.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </div>
      {groups.length === 0 && <p className="muted hint">{text.none}</p>}
      {groups.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label={text.rights}>
          <table className="list access">
            <thead>
              <tr>
                <th scope="col">{text.right}</th>
                {shown.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            {groups.map(({ title, rows }) => (
              <tbody key={title}>
                <tr>
                  <th scope="rowgroup" colSpan={shown.length + 1} className="group">
                    {title}
                  </th>
                </tr>
                {rows.map(({ key, what, levels }) => (
                  <tr key={key}>
                    <th scope="row">
                      <Words text={what} />
                    </th>
                    {levels.map((right, at) => (
                      <td key={shown[at]?.name}>
                        <Level right={right} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            ))}
          </table>
        </div>
      )}
    </>
  )
}

interface Group {
  readonly title: string
  readonly rows: readonly {
    readonly key: string
    readonly what: string
    /** Of each subject, in their order. */
    readonly levels: readonly (RightShown | undefined)[]
  }[]
}

/** Rights by what they are about; a right that one subject lacks stands there all the same. */
function groupsOf(subjects: RightsShown['subjects'], search: string): readonly Group[] {
  const byKey = new Map<string, RightShown>()
  for (const { rights } of subjects)
    for (const right of rights) if (!byKey.has(right.key)) byKey.set(right.key, right)
  const needle = search.trim().toLowerCase()
  const found = [...byKey.values()].filter(({ what }) => what.toLowerCase().includes(needle))
  const titled = Map.groupBy(found, titleOf)
  return [...titled].map(([title, rights]) => ({
    title,
    rows: rights.map(({ key, what }) => ({
      key,
      what,
      levels: subjects.map((subject) => subject.rights.find((one) => one.key === key)),
    })),
  }))
}

function titleOf({ kind, connection }: RightShown): string {
  if (connection !== undefined) return `${STRINGS.access.connection} ${connection}`
  return kind === 'tool' ? STRINGS.access.tools : STRINGS.access.others
}

const TONES: Readonly<Record<RightShown['level'], Tone>> = {
  none: 'none',
  masked: 'none',
  review: 'warn',
  confirm: 'warn',
  allow: 'good',
}

function Level({ right }: { readonly right: RightShown | undefined }): ReactNode {
  if (!right || right.level === 'none') return <Status tone="none">{STRINGS.access.no}</Status>
  return (
    <>
      <Status tone={TONES[right.level]}>{right.how}</Status>
      {right.conditions.map((one) => (
        <small key={one}>{one}</small>
      ))}
      {right.ignores_taint && <small>{STRINGS.access.ignoresTaint}</small>}
    </>
  )
}

/** A text in which names stand between backticks. */
const Words = ({ text }: { readonly text: string }): ReactNode =>
  text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : <span key={at}>{part}</span>))
