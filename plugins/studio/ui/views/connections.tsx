import { useCallback, useState, type ReactNode } from 'react'
import { addressOf } from '../model/route.ts'
import type { ConnectionShown, Me, OperationShown, Server } from '../model/server.ts'
import { Icon } from '../parts/icons.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Status, type Tone } from '../parts/status.tsx'
import { STRINGS } from '../strings.ts'
import { TryCall } from './try-call.tsx'
import { useReport } from './use-report.ts'
import '../styles/places.css'

export interface ConnectionsProps {
  readonly server: Server
  readonly me: Me
  /** The one that is open beside the list. */
  readonly name: string | undefined
}

/** What the agent reaches outside, and how it fares. */
export function Connections({ server, me, name }: ConnectionsProps): ReactNode {
  const ask = useCallback(async () => (await server.connections()).connections, [server])
  const { value, problem, refresh } = useReport(ask)
  const text = STRINGS.connections
  return (
    <div className="split" data-open={name !== undefined}>
      <section className="split-list" aria-labelledby="connections-title">
        <header className="view-head">
          <h2 id="connections-title">{text.title}</h2>
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
        {value?.length === 0 && (
          <div className="empty">
            <Icon name="plug" />
            <p>{text.empty}</p>
            <p className="muted">{text.emptyHint}</p>
          </div>
        )}
        <ul className="rows">
          {value?.map((connection) => (
            <li key={connection.name}>
              <a
                href={addressOf({ view: 'connections', name: connection.name })}
                aria-current={connection.name === name ? 'page' : undefined}
              >
                <span className="title">{connection.name}</span>
                <small className="when">{connection.kind}</small>
                <Health status={connection.status} error={connection.error} />
              </a>
            </li>
          ))}
        </ul>
      </section>
      <div className="split-detail">
        {name === undefined ? (
          value && value.length > 0 && <p className="muted hint">{text.pick}</p>
        ) : (
          <Detail key={name} {...{ server, me, name }} />
        )}
      </div>
    </div>
  )
}

const TONES: Readonly<Record<string, Tone>> = {
  ready: 'good',
  ok: 'good',
  connected: 'good',
  failed: 'bad',
  unhealthy: 'bad',
  connecting: 'run',
  sign_in_needed: 'warn',
}

const Health = ({
  status,
  error,
}: {
  readonly status: string | undefined
  readonly error: string | undefined
}): ReactNode =>
  status === undefined ? null : (
    <Status tone={TONES[status] ?? 'none'} title={error}>
      {status.replaceAll('_', ' ')}
    </Status>
  )

function Detail({
  server,
  me,
  name,
}: Pick<ConnectionsProps, 'server' | 'me'> & { readonly name: string }): ReactNode {
  const [operation, setOperation] = useState<OperationShown>()
  const ask = useCallback(() => server.connection(name), [server, name])
  const { value, problem } = useReport(ask)
  const text = STRINGS.connections
  return (
    <section className="view" aria-labelledby="connection-title">
      <header className="view-head">
        <h2 id="connection-title">{name}</h2>
        <a className="back" href={addressOf({ view: 'connections', name: undefined })}>
          {text.back}
        </a>
      </header>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {!value && problem === undefined && <Skeleton />}
      {value?.error !== undefined && (
        <p className="note error" role="alert">
          {value.error}
        </p>
      )}
      {value && <Facts connection={value} />}
      {value && value.error === undefined && (
        <TryCall
          {...{ server, me, operation }}
          connection={value}
          onReset={() => setOperation(undefined)}
        />
      )}
      {value && <Operations connection={value} onTry={setOperation} />}
    </section>
  )
}

function Facts({ connection }: { readonly connection: ConnectionShown }): ReactNode {
  const text = STRINGS.connections
  const { kind, location, status, spec, transport, access } = connection
  const facts: readonly (readonly [string, ReactNode])[] = [
    [text.status, <Health key="status" status={status} error={undefined} />],
    [text.kind, kind],
    [text.address, spec?.baseUrl ?? transport],
    [text.auth, spec?.authType ?? text.noAuth],
    [text.file, <code key="file">{location}</code>],
    [text.reads, access?.default.read],
    [text.writes, access?.default.write],
  ]
  return (
    <dl className="facts">
      {facts.map(
        ([title, fact]) =>
          fact !== undefined &&
          fact !== null && (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{fact}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** Operations that are listed at first. */
const FIRST = 100

function Operations({
  connection: { name, surface = [], access },
  onTry,
}: {
  readonly connection: ConnectionShown
  readonly onTry: (operation: OperationShown) => void
}): ReactNode {
  const [search, setSearch] = useState('')
  const [isAll, setAll] = useState(false)
  const text = STRINGS.connections
  const needle = search.trim().toLowerCase()
  const found = surface.filter(({ method, path, description }) =>
    `${method} ${path} ${description ?? ''}`.toLowerCase().includes(needle),
  )
  const shown = isAll ? found : found.slice(0, FIRST)
  const tierOf = (method: string, path: string): string | undefined =>
    access?.rules.find((rule) => rule.method === method && rule.path === path)?.tier
  if (surface.length === 0) return <p className="muted hint">{text.noOperations}</p>
  return (
    <>
      <h3>
        {text.operations} <span className="muted">{surface.length}</span>
      </h3>
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
      <div className="scroll" tabIndex={0} role="region" aria-label={`${text.operations}: ${name}`}>
        <table className="list">
          <tbody>
            {shown.map((operation) => {
              const { method, path, description } = operation
              return (
                <tr key={`${method} ${path}`}>
                  <td>
                    <code>{method}</code>
                  </td>
                  <td>
                    <code>{path}</code>
                  </td>
                  <td className="main muted">{description}</td>
                  <td>{tierOf(method, path) ?? <span className="muted">{text.byDefault}</span>}</td>
                  <td>
                    <button
                      type="button"
                      className="quiet"
                      aria-label={`${text.tryIt}: ${method} ${path}`}
                      onClick={() => onTry({ ...operation })}
                    >
                      {text.tryIt}
                    </button>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {found.length > shown.length && (
        <button type="button" onClick={() => setAll(true)}>
          {text.showAll} ({found.length})
        </button>
      )}
    </>
  )
}
