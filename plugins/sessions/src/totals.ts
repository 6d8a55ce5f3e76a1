import { SUBAGENT_META, type SessionTotals, type TotalsOf } from '@amodal/sdk'
import { sql, statement, type RawBuilder, type RowOf } from '@amodal/sdk/database'
import { db } from './tables.ts'

/** Models, and sub-agents, that are reported at most. */
const MOST = sql.lit(10)

const SUMS = [
  sql<number>`count(*)`.as('sessions'),
  sql<number>`sum(input_tokens)::bigint`.as('input_tokens'),
  sql<number>`sum(output_tokens)::bigint`.as('output_tokens'),
  sql<number | null>`sum(cost)::bigint`.as('cost'),
] as const

// Written by the loop as JSON, and never with a quotation mark in it.
const SUBAGENT = sql<string | null>`substring(meta from ${sql.lit(`"${SUBAGENT_META}":"([^"]+)"`)})`

/** Never null. */
export const IS_SUBAGENT = sql<boolean>`(parent is not null and fork_at = 0 and ${SUBAGENT} is not null)`

interface Whose {
  readonly tenant: string
  /** All principals when null. */
  readonly principal: string | undefined
}

const NO_TIME = sql<number | null>`null::bigint`

const sessionsOf = ({ tenant, principal }: Whose) =>
  db
    .selectFrom('sessions_lane')
    .where('tenant', '=', tenant)
    .where(sql<boolean>`(${principal}::text is null or principal = ${principal})`)

/** Those with the most tokens of each name. */
const named = (whose: Whose, kind: 'model' | 'agent', name: RawBuilder<string | null>) =>
  sessionsOf(whose)
    .select([kindOf(kind), name.as('name'), ...SUMS, NO_TIME.as('active_ms')])
    .groupBy(sql`2`)
    .orderBy(sql`sum(input_tokens + output_tokens)`, 'desc')
    .orderBy('name')
    .limit(MOST)

const kindOf = (kind: 'whole' | 'model' | 'agent') =>
  sql<'whole' | 'model' | 'agent'>`${sql.lit(kind)}`.as('kind')

/** A row for all, one for each model and one for each sub-agent; none where there is no session. */
export const TOTALS = statement((whose: Whose) => {
  const total = sessionsOf(whose)
    .select([
      kindOf('whole'),
      sql<string | null>`''`.as('name'),
      ...SUMS,
      sql<number | null>`(extract(epoch from max(updated_at)) * 1000)::bigint`.as('active_ms'),
    ])
    .having(sql<boolean>`count(*) > 0`)
  const models = named(whose, 'model', sql`model`).where('model', 'is not', null)
  const agents = named(whose, 'agent', SUBAGENT).where(IS_SUBAGENT)
  return db
    .selectFrom(
      total
        .unionAll(db.selectFrom(models.as('models')).selectAll())
        .unionAll(db.selectFrom(agents.as('agents')).selectAll())
        .as('sums'),
    )
    .selectAll()
    .orderBy(sql`input_tokens + output_tokens`, 'desc')
    .orderBy('name')
})

type TotalsRow = RowOf<NonNullable<ReturnType<typeof TOTALS>['~row']>>

export function totalsOf(rows: readonly TotalsRow[]): SessionTotals {
  const total = rows.find(({ kind }) => kind === 'whole')
  const of = (kind: TotalsRow['kind']): readonly TotalsOf[] =>
    rows
      .filter((row) => row.kind === kind)
      .map((row) => ({ name: String(row.name), ...sumsOf(row) }))
  return {
    ...sumsOf(total ?? NOTHING),
    lastActive: total?.active_ms ?? undefined,
    models: of('model'),
    agents: of('agent'),
  }
}

type Sums = Pick<TotalsRow, 'sessions' | 'input_tokens' | 'output_tokens' | 'cost'>

const NOTHING: Sums = { sessions: 0, input_tokens: 0, output_tokens: 0, cost: null }

const sumsOf = ({ sessions, input_tokens: input, output_tokens: output, cost }: Sums) => ({
  sessions,
  inputTokens: input,
  outputTokens: output,
  cost: cost ?? undefined,
})
