import { sql, statement } from '@amodal/sdk/database'
import { db } from '../tables.ts'

/** A run as it is written outside of row security, together with its job. */
interface Written {
  readonly tenant: string
  readonly id: string
  readonly header: string
}

export const INSERT = statement(
  ({ tenant, id, header, principal }: Written & { readonly principal: string }) =>
    db.insertInto('evals_run').values({ tenant, id, principal, header, status: 'open' }),
)

export const REOPEN = statement(({ tenant, id, header }: Written) =>
  db
    .updateTable('evals_run')
    .set({ header, status: 'open', error: null, ended_at: null })
    .where('tenant', '=', tenant)
    .where('id', '=', id),
)

interface End {
  readonly id: string
  readonly status: string
  readonly error: string | null
}

/** The first that says how a run ended is right. */
export const END = statement(({ id, status, error }: End) =>
  db
    .updateTable('evals_run')
    .set({ status, error, ended_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('status', '=', 'open'),
)

export const BY_ID = statement(({ id }: { id: string }) =>
  db.selectFrom('evals_run').selectAll().where('id', '=', id),
)

export const STATUS = statement(({ id }: { id: string }) =>
  db.selectFrom('evals_run').select('status').where('id', '=', id),
)

/** The newest first. */
export const LIST = statement(({ limit }: { limit: number }) =>
  db.selectFrom('evals_run').selectAll().orderBy('id', 'desc').limit(limit),
)

interface NewResult {
  readonly run: string
  readonly place: number
  readonly facts: string
  readonly detail: string
}

/** Of a place in the plan the first result counts; of a run that is gone there is none. */
export const ADD_RESULT = statement(
  ({ run, place, facts, detail }: NewResult) => sql`
insert into evals_result (run, place, facts, detail)
select id, ${place}::int, ${facts}::text, ${detail}::text from evals_run where id = ${run}
on conflict do nothing`,
)

export const RESULTS = statement(({ run }: { run: string }) =>
  db.selectFrom('evals_result').select(['facts', 'detail']).where('run', '=', run).orderBy('place'),
)

/** What summaries need of the results of these runs. */
export const FACTS = statement(({ runs }: { runs: readonly string[] }) =>
  db
    .selectFrom('evals_result')
    .select(['run', 'facts'])
    .where(sql<boolean>`run = any(${runs}::text[])`)
    .orderBy('run')
    .orderBy('place'),
)

export const JUDGEMENT = statement(({ key }: { key: string }) =>
  db.selectFrom('evals_judgement').select('reply').where('key', '=', key),
)

interface NewJudgement {
  readonly key: string
  readonly principal: string
  readonly reply: string
}

export const ADD_JUDGEMENT = statement(({ key, principal, reply }: NewJudgement) =>
  db
    .insertInto('evals_judgement')
    .values({ key, principal, reply })
    .onConflict((conflict) => conflict.doNothing()),
)

export const ADD_TRIAL = statement(({ trial }: { trial: string }) =>
  db.insertInto('evals_trial').values({ trial }),
)

export const REMOVE_TRIAL = statement(({ trial }: { trial: string }) =>
  db.deleteFrom('evals_trial').where('trial', '=', trial),
)

export const TRIALS = statement(() => db.selectFrom('evals_trial').select('trial'))
