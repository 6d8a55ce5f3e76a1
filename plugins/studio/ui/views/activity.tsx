import { useState, type ReactNode } from 'react'
import type { Live } from '../model/live.ts'
import { addressOf } from '../model/route.ts'
import type { LiveEvent } from '../model/server.ts'
import { textOf } from './text-of.ts'

/** What changes on the server, as it happens, since this page was opened. */
export function Activity({
  live: { events, state },
  titles,
}: {
  readonly live: Live
  /** Of sessions, by their id. */ readonly titles: ReadonlyMap<string, string>
}): ReactNode {
  const [kind, setKind] = useState('')
  const kinds = [...new Set(events.map(({ type }) => type))].toSorted()
  const shown = kind === '' ? events : events.filter(({ type }) => type === kind)
  return (
    <section className="view" aria-labelledby="activity-title">
      <header className="view-head">
        <h2 id="activity-title">Activity</h2>
        {kinds.length > 1 && (
          <select aria-label="Show" value={kind} onChange={(event) => setKind(event.target.value)}>
            <option value="">Everything</option>
            {kinds.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </header>
      {shown.length === 0 && (
        <p className="muted hint">
          {state === 'off'
            ? 'This key may not hear of changes.'
            : 'Sessions, stores and files that change are told of here, from now on.'}
        </p>
      )}
      <ol className="events" aria-live="polite">
        {shown.map((event) => (
          <Row key={event.seq} event={event} title={titles.get(textOf(event['sessionId']))} />
        ))}
      </ol>
    </section>
  )
}

function Row({
  event,
  title,
}: {
  readonly event: LiveEvent
  readonly title: string | undefined
}): ReactNode {
  const { seq: _seq, timestamp, type, sessionId, appId: _app, title: told = title, ...rest } = event
  return (
    <li>
      <time dateTime={timestamp}>{new Date(timestamp).toLocaleTimeString()}</time>
      <strong className={`type ${type.split('_')[0] ?? ''}`}>{type.replaceAll('_', ' ')}</strong>
      <span>
        {[
          ...(told === undefined ? [] : [textOf(told)]),
          ...Object.entries(rest).map(([name, value]) => `${name}: ${textOf(value)}`),
        ].join(' · ')}
      </span>
      {typeof sessionId === 'string' && type !== 'session_deleted' && (
        <a href={addressOf({ view: 'chat', session: sessionId })}>open</a>
      )}
    </li>
  )
}
