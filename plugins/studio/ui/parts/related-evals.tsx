import { useState, type ReactNode } from 'react'
import type { Admin, RelatedEvals } from '../model/admin.ts'
import { addressOf } from '../model/route.ts'
import { problemOf } from '../model/server.ts'

/** Cases that are named; the others are counted. */
const SHOWN = 8

/** The cases of evals that depend on what was accepted, and a button that runs them. */
export function RelatedEvalsCard({
  admin,
  evals,
  onRun,
}: {
  readonly admin: Admin
  readonly evals: RelatedEvals
  /** They were started. */
  readonly onRun: (run: string) => void
}): ReactNode {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const { cases, everything, run, total } = evals
  const start = (): void => {
    setBusy(true)
    setProblem(undefined)
    admin
      .runEvals(evals)
      .then(onRun, (cause: unknown) => setProblem(problemOf(cause)))
      .finally(() => setBusy(false))
  }
  const named = cases.slice(0, SHOWN)
  return (
    <section className="related-evals" aria-label="Related evals">
      <p>
        {everything === null ? (
          `Eval cases that depend on this change (${cases.length} of ${total}): `
        ) : (
          <>
            Every eval case depends on <code>{everything}</code> ({total}):{' '}
          </>
        )}
        {named.map((name, at) => (
          <span key={name}>
            {at > 0 && ', '}
            <code>{name}</code>
          </span>
        ))}
        {cases.length > named.length && `, and ${cases.length - named.length} more`}
      </p>
      <div role="status">
        {run !== undefined && (
          <p>
            They run now:{' '}
            <a
              href={addressOf({
                view: 'more',
                key: 'evals',
                query: `run=${encodeURIComponent(run)}`,
              })}
            >
              open the run
            </a>
          </p>
        )}
      </div>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {run === undefined && (
        <button type="button" disabled={isBusy} onClick={start}>
          Run related evals
        </button>
      )}
    </section>
  )
}
