import type { RunDetails } from '@amodal/sdk/client'
import type { ReactNode } from 'react'
import { compactText, durationText } from '../../model/format.ts'
import { personName } from '../../model/person-name.ts'
import type { RunFigures } from '../../model/run-events.ts'
import { durationOf } from '../../model/run-duration.ts'
import type { Me } from '../../model/server.ts'
import { useNow } from '../../model/use-run.ts'
import { RUN_STRINGS } from '../../strings-runs.ts'
import { moment } from '../decided.tsx'
import { Raw } from '../json-view.tsx'

const { columns, page } = RUN_STRINGS

/** Who started a run, when, and what it has taken so far. */
export function RunFacts({
  run,
  figures,
  me,
}: {
  readonly run: RunDetails
  readonly figures: RunFigures
  readonly me: Me
}): ReactNode {
  const ms = durationOf(run, useNow(run.status === 'running'))
  const { tokens, tools, turns } = figures
  return (
    <dl className="facts run-facts" aria-label={page.facts}>
      <Fact name={columns.profile}>{run.profile_id}</Fact>
      <Fact name={columns.who}>{personName(me, run.started_by)}</Fact>
      <Fact name={columns.created}>
        <time dateTime={run.created_at} title={new Date(run.created_at).toLocaleString()}>
          {moment(run.created_at)}
        </time>
      </Fact>
      <Fact name={columns.duration}>{ms === undefined ? '–' : durationText(ms)}</Fact>
      <Fact name={columns.turns}>{turns}</Fact>
      <Fact name={page.tokens}>
        {page.tokensText(compactText(tokens.input), compactText(tokens.output))}
        {tokens.cacheRead > 0 && (
          <small className="muted"> {page.cached(compactText(tokens.cacheRead))}</small>
        )}
      </Fact>
      <Fact name={page.tools}>
        {tools.length === 0 ? (
          <span className="muted">{page.noTools}</span>
        ) : (
          <ul className="run-tools">
            {tools.map(([tool, count]) => (
              <li key={tool}>
                <code>{tool}</code> ×{count}
              </li>
            ))}
          </ul>
        )}
      </Fact>
    </dl>
  )
}

const Fact = ({
  name,
  children,
}: {
  readonly name: string
  readonly children: ReactNode
}): ReactNode => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** What a run was given. */
export const RunInput = ({ run }: { readonly run: RunDetails }): ReactNode => (
  <details className="run-input">
    <summary>{page.input}</summary>
    <p className="given">{run.task}</p>
    {run.input_params !== null && (
      <Raw title={page.params} text={JSON.stringify(run.input_params)} />
    )}
  </details>
)
