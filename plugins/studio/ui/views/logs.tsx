import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import {
  factsOf,
  LOG_LEVELS,
  logSearch,
  searchText,
  useLogs,
  type LogLine,
  type LogSearch,
} from '../model/logs.ts'
import { replace } from '../model/route.ts'
import type { Server } from '../model/server.ts'
import { Icon } from '../parts/icons.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Status, type Tone } from '../parts/status.tsx'
import { SYSTEM_STRINGS } from './system-strings.ts'
import { textOf } from './text-of.ts'
import '../styles/places.css'
import '../styles/system.css'

const text = SYSTEM_STRINGS.logs
const numbers = new Intl.NumberFormat('en')
/** ms after the last letter. */
const TYPED_MS = 250

/** The newest lines of the log of the server, as they are written. */
export function Logs({
  server,
  query,
}: {
  readonly server: Server
  readonly query: string
}): ReactNode {
  const search = useMemo(() => logSearch(query), [query])
  const [isFollowed, setFollowed] = useState(true)
  const { lines, dropped, problem } = useLogs(server, search, isFollowed)
  return (
    <section className="view wide" aria-labelledby="logs-title">
      <header className="view-head">
        <h2 id="logs-title">{text.title}</h2>
        <label className="check">
          <input
            type="checkbox"
            checked={isFollowed}
            onChange={({ target }) => setFollowed(target.checked)}
          />
          {text.follow}
        </label>
      </header>
      <Filters search={search} />
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {!lines && problem === undefined && <Skeleton />}
      {lines?.length === 0 && (
        <div className="empty">
          <Icon name="search" />
          <p>{text.empty}</p>
          <p className="muted">{text.emptyHint}</p>
        </div>
      )}
      {lines && lines.length > 0 && (
        <ol className="log-lines">
          {lines.map((line) => (
            <Row key={line.seq} line={line} />
          ))}
        </ol>
      )}
      <p className="muted">
        {text.about} {dropped > 0 && text.dropped(numbers.format(dropped))}
      </p>
    </section>
  )
}

function Filters({ search }: { readonly search: LogSearch }): ReactNode {
  const [typed, setTyped] = useState(search.q)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // the address may be another one, by going back or a link
  useEffect(() => setTyped(search.q), [search.q])
  useEffect(() => () => clearTimeout(timer.current), [])
  const change = (changed: Partial<LogSearch>): void =>
    replace({ view: 'logs', query: searchText({ ...search, ...changed }) })
  return (
    <div className="system-filters" role="search" aria-label={text.search}>
      <select
        aria-label={text.level}
        value={search.level}
        onChange={({ target }) =>
          change({ level: LOG_LEVELS.find((level) => level === target.value) ?? 'info' })
        }
      >
        {LOG_LEVELS.map((level) => (
          <option key={level} value={level}>
            {level === 'error' ? text.errors : text.andAbove(text.levels[level])}
          </option>
        ))}
      </select>
      <input
        type="search"
        aria-label={text.search}
        placeholder={text.search}
        value={typed}
        onChange={({ target: { value } }) => {
          setTyped(value)
          clearTimeout(timer.current)
          timer.current = setTimeout(() => change({ q: value.trim() }), TYPED_MS)
        }}
      />
    </div>
  )
}

const TONES: Readonly<Record<string, Tone>> = { warn: 'warn', error: 'bad' }

function Row({ line }: { readonly line: LogLine }): ReactNode {
  const { level, time, event, plugin } = line
  const at = textOf(time)
  return (
    <li>
      <time dateTime={at} title={new Date(at).toLocaleString()}>
        {new Date(at).toLocaleTimeString()}
      </time>
      <Status tone={TONES[level] ?? 'none'}>{level}</Status>
      <div>
        <strong>{textOf(event)}</strong> <span className="muted">{textOf(plugin)}</span>
        <p>
          {factsOf(line).map(([name, value]) => (
            <span key={name}>
              <span className="muted">{name}=</span>
              {textOf(value)}{' '}
            </span>
          ))}
        </p>
      </div>
    </li>
  )
}
