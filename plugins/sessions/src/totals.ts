import { SUBAGENT_META, type Row, type SessionTotals, type TotalsOf } from '@amodal/sdk'

/** Models and sub-agents that are told of, of each. */
const MOST = 10

const SUMS =
  'count(*) sessions, sum(input_tokens)::bigint input_tokens, sum(output_tokens)::bigint output_tokens, sum(cost)::bigint cost'
const WHOSE = 'tenant = $1 and ($2::text is null or principal = $2)'
const MOST_TOKENS = `order by sum(input_tokens + output_tokens) desc, name limit ${MOST}`
// Written by the loop as JSON, and never with a quotation mark in it.
const SUBAGENT = `substring(meta from '"${SUBAGENT_META}":"([^"]+)"')`

/** Never null. */
export const IS_SUBAGENT = `(parent is not null and fork_at = 0 and ${SUBAGENT} is not null)`

/**
 * `$1`: tenant, `$2`: whose, or null for everybody's. A row for all, one for each model and one for
 * each sub-agent; none where there is no session.
 */
export const TOTALS = `
select * from (
(select 'whole' kind, '' "name", ${SUMS}, (extract(epoch from max(updated_at)) * 1000)::bigint active_ms from sessions_lane where ${WHOSE} having count(*) > 0)
union all
(select 'model', model "name", ${SUMS}, null from sessions_lane where ${WHOSE} and model is not null group by model ${MOST_TOKENS})
union all
(select 'agent', ${SUBAGENT} "name", ${SUMS}, null from sessions_lane where ${WHOSE} and ${IS_SUBAGENT} group by 2 ${MOST_TOKENS})
) sums order by input_tokens + output_tokens desc, name`

export function totalsOf(rows: readonly Row[]): SessionTotals {
  const whole = rows.find(({ kind }) => kind === 'whole')
  const of = (kind: string): readonly TotalsOf[] =>
    rows
      .filter((row) => row['kind'] === kind)
      .map((row) => ({ name: String(row['name']), ...sumsOf(row) }))
  return {
    ...sumsOf(whole ?? {}),
    lastActive: whole === undefined ? undefined : Number(whole['active_ms']),
    models: of('model'),
    agents: of('agent'),
  }
}

const sumsOf = ({
  sessions = 0,
  input_tokens: input = 0,
  output_tokens: output = 0,
  cost = null,
}: Row) => ({
  sessions: Number(sessions),
  inputTokens: Number(input),
  outputTokens: Number(output),
  cost: cost === null ? undefined : Number(cost),
})
