import type { Json } from '@amodal/sdk'
import { useCallback, type ReactNode } from 'react'
import { addressOf } from '../model/route.ts'
import type { Server } from '../model/server.ts'
import { Skeleton } from '../parts/skeleton.tsx'
import { Status } from '../parts/status.tsx'
import { STRINGS } from '../strings.ts'
import { SYSTEM_STRINGS } from './system-strings.ts'
import { textOf } from './text-of.ts'
import { useReport } from './use-report.ts'
import '../styles/places.css'
import '../styles/system.css'

/** How the server fares, and what to do where something is wrong. */
export function System({ server }: { readonly server: Server }): ReactNode {
  const ask = useCallback(() => server.fullHealth(), [server])
  const { value, problem, refresh } = useReport(ask)
  const text = STRINGS.health
  const { status, problems = [], problem_details: given, ...facts } = value ?? {}
  const details: NonNullable<typeof given> = given ?? problems.map((one) => ({ text: one }))
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
          {details.length > 0 && (
            <ul className="problems">
              {details.map(({ text: wrong, source, fix }) => (
                <li key={wrong} className="note error">
                  {wrong}
                  {fix !== undefined && <p>{SYSTEM_STRINGS.health.fix(fix)}</p>}
                  {fix === undefined && source !== undefined && (
                    <p>
                      <a
                        href={addressOf({ view: 'logs', query: `q=${encodeURIComponent(source)}` })}
                      >
                        {SYSTEM_STRINGS.health.log}
                      </a>
                    </p>
                  )}
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
