import { sql, statement, type RawBuilder } from '@amodal/sdk/database'
import { db } from './tables.ts'

/** Whether an amount fits beside what was taken and what is held; `most`: null for no bound. */
function fitsBeside(
  taken: RawBuilder<number>,
  amount: number,
  most: number | null,
): RawBuilder<boolean> {
  return sql<boolean>`${taken} + ${amount} <= coalesce(${most}::bigint, ${taken} + ${amount})`
}
const TOKENS = sql<number>`limits_budget.tokens + limits_budget.held_tokens`
const COST = sql<number>`limits_budget.cost + limits_budget.held_cost`

interface Hold {
  readonly key: string
  readonly tokens: number
  readonly cost: number
  readonly ends: number
  readonly mostTokens: number | null
  readonly mostCost: number | null
}

/** Sets an amount aside; no row where it does not fit. */
export const HOLD = statement(({ key, tokens, cost, ends, mostTokens, mostCost }: Hold) =>
  db
    .insertInto('limits_budget')
    .values((eb) => ({
      key,
      tokens: eb.lit(0),
      cost: eb.lit(0),
      held_tokens: tokens,
      held_cost: cost,
      ends,
    }))
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet((eb) => ({
          held_tokens: eb('limits_budget.held_tokens', '+', tokens),
          held_cost: eb('limits_budget.held_cost', '+', cost),
        }))
        .where(fitsBeside(TOKENS, tokens, mostTokens))
        .where(fitsBeside(COST, cost, mostCost)),
    )
    .returning('key'),
)

/** From now. */
const inSeconds = (seconds: number): RawBuilder<Date> =>
  sql<Date>`clock_timestamp() + ${seconds}::int * interval '1 second'`

interface Note {
  readonly id: string
  readonly key: string
  readonly tokens: number
  readonly cost: number
  readonly seconds: number
}

export const NOTE = statement(({ id, key, tokens, cost, seconds }: Note) =>
  db.insertInto('limits_hold').values({ id, key, tokens, cost, until: inSeconds(seconds) }),
)

export const SPENT = statement(({ key }: { key: string }) =>
  db.selectFrom('limits_budget').select(['tokens', 'cost']).where('key', '=', key),
)

interface Settle {
  readonly id: string
  readonly keys: readonly string[]
  readonly tokens: number
  readonly cost: number
}

/** Rows are locked in the order of their keys everywhere, so that nobody waits in a circle. */
export const SETTLE = statement(({ id, keys, tokens, cost }: Settle) =>
  db
    .with('h', (within) =>
      within.deleteFrom('limits_hold').where('id', '=', id).returning(['key', 'tokens', 'cost']),
    )
    .with('l', (within) =>
      within
        .selectFrom('limits_budget')
        .select('key')
        .where('key', '=', sql<string>`any(${keys}::text[])`)
        .orderBy('key')
        .forUpdate(),
    )
    .updateTable('limits_budget as b')
    .from('l')
    .set((eb) => {
      const held = (column: 'tokens' | 'cost') =>
        eb.fn.coalesce(
          eb.selectFrom('h').select(`h.${column}`).whereRef('h.key', '=', 'b.key'),
          eb.lit(0),
        )
      return {
        tokens: eb('b.tokens', '+', tokens),
        cost: eb('b.cost', '+', cost),
        held_tokens: eb('b.held_tokens', '-', held('tokens')),
        held_cost: eb('b.held_cost', '-', held('cost')),
      }
    })
    .whereRef('b.key', '=', 'l.key'),
)

export const EXTEND = statement(({ ids, seconds }: { ids: readonly string[]; seconds: number }) =>
  db
    .updateTable('limits_hold')
    .set({ until: inSeconds(seconds) })
    .where('id', '=', sql<string>`any(${ids}::text[])`),
)

/** What is held too long, and what another process held where this one is alone now. */
export const RELEASE_EXPIRED = statement(
  ({ alone, process }: { alone: boolean; process: string }) =>
    db
      .with('h', (within) =>
        within
          .deleteFrom('limits_hold')
          .where(
            sql<boolean>`until < clock_timestamp() or (${alone}::boolean and split_part(id, ':', 1) <> ${process})`,
          )
          .returning(['key', 'tokens', 'cost']),
      )
      .with('s', (within) =>
        within
          .selectFrom('h')
          .select([
            'key',
            sql<number>`sum(tokens)::bigint`.as('tokens'),
            sql<number>`sum(cost)::bigint`.as('cost'),
          ])
          .groupBy('key'),
      )
      .with('l', (within) =>
        within
          .selectFrom('limits_budget as b')
          .innerJoin('s', 's.key', 'b.key')
          .select('b.key')
          .orderBy('b.key')
          .forUpdate('b'),
      )
      .updateTable('limits_budget as b')
      .from('s')
      .innerJoin('l', 'l.key', 's.key')
      .set((eb) => ({
        held_tokens: eb('b.held_tokens', '-', eb.ref('s.tokens')),
        held_cost: eb('b.held_cost', '-', eb.ref('s.cost')),
      }))
      .whereRef('b.key', '=', 's.key'),
)

/** Budgets that have ended. @param now ms since the epoch */
export const FORGET = statement(({ now }: { now: number }) =>
  db
    .deleteFrom('limits_budget')
    .where('ends', '<', now)
    .where((eb) => eb('held_tokens', '=', eb.lit(0))),
)

/** Windows that were over then. @param before ms since the epoch */
export const FORGET_WINDOWS = statement(({ before }: { before: number }) =>
  db.deleteFrom('limits_window').where('expire', '<', before),
)
