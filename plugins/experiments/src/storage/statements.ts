import { sql, statement } from '@amodal/sdk/database'
import type { Decision, Observation } from './observation.ts'
import { db } from '../tables.ts'

export const ADD = statement((one: Observation) =>
  db
    .insertInto('experiments_run')
    .values({
      experiment: one.experiment,
      version: one.version,
      variant: one.variant,
      principal: one.principal,
      session: one.session,
      run: one.run,
      at: one.at,
      failed: one.failed,
      cost: one.cost,
      seconds: one.seconds,
    })
    .onConflict((conflict) => conflict.columns(['tenant', 'experiment', 'run']).doNothing()),
)

interface Rating {
  readonly session: string
  readonly run: string
  readonly rating: 0 | 1 | null
}
export const RATE = statement(({ rating, run, session }: Rating) =>
  db
    .updateTable('experiments_run')
    .set({ feedback: rating })
    .where('session', '=', session)
    .where('run', '=', run),
)

/** One row of figures; a mean is `null` where there is nothing to take it of. */
export interface FiguresRow {
  readonly variant: string
  readonly principals: number
  readonly runs: number
  readonly feedback_n: number
  readonly feedback_mean: number | null
  readonly feedback_var: number | null
  readonly errors_n: number
  readonly errors_mean: number | null
  readonly errors_var: number | null
  readonly cost_n: number
  readonly cost_mean: number | null
  readonly cost_var: number | null
  readonly latency_n: number
  readonly latency_mean: number | null
  readonly latency_var: number | null
}

/** The mean of each principal is one value, however often they came. */
export const FIGURES = statement(
  ({ name, version }: { readonly name: string; readonly version: string }) => sql<FiguresRow>`
with unit as (
  select principal, min(variant) as variant, count(*) as runs,
    avg(feedback) as feedback,
    avg(case when failed then 1.0::float8 else 0.0::float8 end) as errors,
    avg(cost) as cost, avg(seconds) as latency
  from experiments_run
  where experiment = ${name}::text and version = ${version}::text
  group by principal
  having count(distinct variant) = 1
)
select variant, count(*)::bigint as principals, sum(runs)::bigint as runs,
  count(feedback)::bigint as feedback_n, avg(feedback) as feedback_mean,
  var_samp(feedback) as feedback_var,
  count(errors)::bigint as errors_n, avg(errors) as errors_mean, var_samp(errors) as errors_var,
  count(cost)::bigint as cost_n, avg(cost) as cost_mean, var_samp(cost) as cost_var,
  count(latency)::bigint as latency_n, avg(latency) as latency_mean,
  var_samp(latency) as latency_var
from unit group by variant order by variant`,
)

export const DECISIONS = statement(() =>
  db.selectFrom('experiments_decision').selectAll().orderBy('experiment'),
)

export const DECIDE = statement(({ experiment, promoted, principal, at }: Decision) =>
  db
    .insertInto('experiments_decision')
    .values({ experiment, promoted: promoted ?? null, principal, at })
    .onConflict((conflict) => conflict.columns(['tenant', 'experiment']).doNothing())
    .returning('experiment'),
)

interface Erase {
  readonly principal: string
  /** `null`: of all tenants. */
  readonly tenant: string | null
  /** JSON of the sessions that are erased. */
  readonly sessions: string
}
export const ERASE = statement(
  ({ principal, sessions, tenant }: Erase) => sql<{ run: string }>`
delete from experiments_run r
where (r.principal = ${principal} and r.tenant = coalesce(${tenant}::text, r.tenant))
  or exists (select from jsonb_to_recordset(${sessions}::jsonb) x(tenant text, session text) where x.tenant = r.tenant and x.session = r.session)
returning r.run`,
)

/** A decision stands without whoever took it. */
export const FORGET_DECIDER = statement(
  ({ principal, tenant }: Pick<Erase, 'principal' | 'tenant'>) => sql<{ experiment: string }>`
update experiments_decision d set principal = ''
where d.principal = ${principal} and d.tenant = coalesce(${tenant}::text, d.tenant)
returning d.experiment`,
)
