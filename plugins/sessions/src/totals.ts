import type { Row, SessionTotals } from '@amodal/sdk'

/** `$1`: tenant, `$2`: whose, or null for everybody's. A row for each model, and one (`whole`) for all of them; none where there is no session. */
export const TOTALS = `
select model, grouping(model) = 1 whole, count(*) sessions, sum(input_tokens)::bigint input_tokens, sum(output_tokens)::bigint output_tokens,
  sum(cost)::bigint cost, (extract(epoch from max(updated_at)) * 1000)::bigint active_ms
from sessions_lane where tenant = $1 and ($2::text is null or principal = $2)
group by grouping sets ((), (model)) having count(*) > 0
order by whole desc, sum(input_tokens + output_tokens) desc, model limit 12`

/** Models that are told of. */
const MOST = 10

export function totalsOf(rows: readonly Row[]): SessionTotals {
  const whole = rows.find((row) => row['whole'] === true)
  return {
    ...sumsOf(whole ?? {}),
    lastActive: whole === undefined ? undefined : Number(whole['active_ms']),
    models: rows.flatMap((row) => (row['whole'] === true || typeof row['model'] !== 'string' ? [] : [{ model: row['model'], ...sumsOf(row) }])).slice(0, MOST),
  }
}

const sumsOf = ({ sessions = 0, input_tokens: input = 0, output_tokens: output = 0, cost = null }: Row) => ({
  sessions: Number(sessions), inputTokens: Number(input), outputTokens: Number(output), cost: cost === null ? undefined : Number(cost),
})
