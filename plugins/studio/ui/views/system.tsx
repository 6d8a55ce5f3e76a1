import type { Json } from '@amodal/sdk'
import { useCallback, type ReactNode } from 'react'
import type { Server } from '../model/server.ts'
import { Skeleton } from '../parts/skeleton.tsx'
import { Status } from '../parts/status.tsx'
import { STRINGS } from '../strings.ts'
import { textOf } from './text-of.ts'
import { useReport } from './use-report.ts'
import '../styles/places.css'

/** How the server fares, and what to do where something is wrong. */
export function System({ server }: { readonly server: Server }): ReactNode {
  const ask = useCallback(() => server.fullHealth(), [server])
  const { value, problem, refresh } = useReport(ask)
  const text = STRINGS.health
  const { status, problems = [], ...facts } = value ?? {}
  return (
    <section className="view" aria-labelledby="health-title">
      <header className="view-head">
        <h2 id="health-title">{text.title}</h2>
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
      {value && (
        <>
          <p>
            <Status tone={status === 'ok' ? 'good' : 'bad'}>
              {status === 'ok' ? text.ok : status}
            </Status>
          </p>
          {problems.length > 0 && (
            <ul className="problems">
              {problems.map((one) => (
                <li key={one} className="note error">
                  {one}
                </li>
              ))}
            </ul>
          )}
          <dl className="facts">
            {Object.entries(facts)
              .filter(([, fact]) => !isNested(fact))
              .map(([name, fact]) => (
                <div key={name}>
                  <dt>{name.replaceAll('_', ' ')}</dt>
                  <dd>{textOf(fact)}</dd>
                </div>
              ))}
          </dl>
        </>
      )}
    </section>
  )
}

const isNested = (fact: Json): boolean => typeof fact === 'object' && fact !== null
