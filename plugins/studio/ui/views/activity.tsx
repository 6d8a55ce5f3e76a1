import { useState, type ReactNode } from 'react'
import type { Live } from '../model/live.ts'
import { addressOf } from '../model/route.ts'
import type { LiveEvent } from '../model/server.ts'
import { Icon } from '../parts/icons.tsx'
import { SYSTEM_STRINGS } from './system-strings.ts'
import { textOf } from './text-of.ts'
import '../styles/places.css'
import '../styles/system.css'

const text = SYSTEM_STRINGS.activity

/** What changes on the server as it happens, and before that what the server still knows of. */
export function Activity({
  live: { events, earlier, state },
  titles,
}: {
  readonly live: Live
  /** Of sessions, by their id. */ readonly titles: ReadonlyMap<string, string>
}): ReactNode {
  const [kind, setKind] = useState('')
  const all = [...events, ...earlier]
  const kinds = [...new Set(all.map(({ type }) => type))].toSorted()
  const isShown = ({ type }: LiveEvent): boolean => kind === '' || type === kind
  const [now, before] = [events.filter(isShown), earlier.filter(isShown)]
  return (
    <section className="view" aria-labelledby="activity-title">
      <header className="view-head">
        <h2 id="activity-title">{text.title}</h2>
        {(kinds.length > 1 || kind !== '') && (
          <select
            aria-label={text.show}
            value={kind}
            onChange={(event) => setKind(event.target.value)}
          >
            <option value="">{text.everything}</option>
            {kinds.map((one) => (
              <option key={one} value={one}>
                {nameOf(one)}
              </option>
            ))}
          </select>
        )}
      </header>
      {now.length + before.length === 0 && <Nothing isOff={state === 'off'} isAll={kind === ''} />}
      {now.length > 0 && <h3 className="divider">{text.now}</h3>}
      {/* it is there from the start, so that what is added to it is announced */}
      <ol className="events" aria-live="polite">
        {now.map((event) => (
          <Row key={event.seq} event={event} title={titles.get(textOf(event['sessionId']))} />
        ))}
      </ol>
      {before.length > 0 && (
        <>
          <h3 className="divider">{text.earlier}</h3>
          <ol className="events">
            {before.map((event) => (
              <Row key={event.seq} event={event} title={titles.get(textOf(event['sessionId']))} />
            ))}
          </ol>
        </>
      )}
    </section>
  )
}

const Nothing = ({
  isOff,
  isAll,
}: {
  readonly isOff: boolean
  readonly isAll: boolean
}): ReactNode => {
  const title = isAll ? text.empty : text.noMatch
  return (
    <div className="empty">
      <Icon name="system" />
      <p>{isOff ? text.off : title}</p>
      {!isOff && isAll && <p className="muted">{text.emptyHint}</p>}
    </div>
  )
}

function Row({
  event,
  title,
}: {
  readonly event: LiveEvent
  readonly title: string | undefined
}): ReactNode {
  const { timestamp, type, sessionId, title: own = title } = event
  const facts = Object.entries(event).filter(([name]) => !OWN.has(name))
  return (
    <li>
      <time dateTime={timestamp} title={new Date(timestamp).toLocaleString()}>
        {timeOf(timestamp)}
      </time>
      <strong className={`type ${type.split('_')[0] ?? ''}`}>{nameOf(type)}</strong>
      <span>
        {[
          ...(own === undefined ? [] : [textOf(own)]),
          ...facts.map(([name, value]) => `${name}: ${textOf(value)}`),
        ].join(' · ')}
      </span>
      {typeof sessionId === 'string' && type !== 'session_deleted' && (
        <a href={addressOf({ view: 'session', id: sessionId, pane: 'trace' })}>{text.open}</a>
      )}
    </li>
  )
}

/** Fields of an event that a row shows in their own way, or not at all. */
const OWN: ReadonlySet<string> = new Set([
  'seq',
  'timestamp',
  'type',
  'sessionId',
  'appId',
  'title',
])

const nameOf = (type: string): string => type.replaceAll('_', ' ')

/** With its day, where that is not today. */
function timeOf(timestamp: string): string {
  const at = new Date(timestamp)
  return at.toDateString() === new Date().toDateString()
    ? at.toLocaleTimeString()
    : at.toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'short' })
}
