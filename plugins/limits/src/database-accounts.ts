import { ok, type Database, type Failure, type Result, timeLimit } from '@amodal/sdk'
import { type Account, type Accounts, fits, PROCESS, type Sum, type Taken } from './accounts.ts'

/** ms for one look into the database: a model call waits for it. */
const LOOK_MS = 5_000
/** What a process has set aside is given back so many seconds after it was last seen. */
const HOLD_SECONDS = 120

const HOLD = `insert into limits_budget as b (key, tokens, cost, held_tokens, held_cost, ends) values ($1, 0, 0, $2, $3, $4)
on conflict (key) do update set held_tokens = b.held_tokens + $2, held_cost = b.held_cost + $3
where b.tokens + b.held_tokens + $2 <= coalesce($5::bigint, b.tokens + b.held_tokens + $2) and b.cost + b.held_cost + $3 <= coalesce($6::bigint, b.cost + b.held_cost + $3)
returning key`
const NOTE = `insert into limits_hold (id, key, tokens, cost, until) values ($1, $2, $3, $4, clock_timestamp() + $5::int * interval '1 second')`
const TAKEN = 'select tokens, cost from limits_budget where key = $1'

// Rows are locked in the order of their keys everywhere, so that nobody waits in a circle.
const SETTLE = `with h as (delete from limits_hold where id = $1 returning key, tokens, cost),
l as (select key from limits_budget where key = any($2::text[]) order by key for update)
update limits_budget b set tokens = b.tokens + $3, cost = b.cost + $4,
  held_tokens = b.held_tokens - coalesce((select h.tokens from h where h.key = b.key), 0), held_cost = b.held_cost - coalesce((select h.cost from h where h.key = b.key), 0)
from l where b.key = l.key`
const PROLONG = `update limits_hold set until = clock_timestamp() + $2::int * interval '1 second' where id = any($1::text[])`
const GIVE_BACK = `with h as (delete from limits_hold where until < clock_timestamp() or ($1::boolean and split_part(id, ':', 1) <> $2) returning key, tokens, cost),
s as (select key, sum(tokens)::bigint as tokens, sum(cost)::bigint as cost from h group by key),
l as (select b.key from limits_budget b join s using (key) order by b.key for update of b)
update limits_budget b set held_tokens = b.held_tokens - s.tokens, held_cost = b.held_cost - s.cost from s join l using (key) where b.key = s.key`
const FORGET = 'delete from limits_budget where ends < $1 and held_tokens = 0'

/** Ends a transaction that must leave nothing. */
class Refused extends Error {
  readonly taken: Exclude<Taken, 'held'>

  constructor(taken: Exclude<Taken, 'held'>) {
    super(taken)
    this.taken = taken
  }
}

/** Accounts that all instances share, and that outlive them. */
export class DatabaseAccounts implements Accounts {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async hold(id: string, accounts: readonly Account[], amount: Sum): ReturnType<Accounts['hold']> {
    if (accounts.some(({ most }) => !fits(amount, most))) return ok('never')
    let refused: Refused | undefined
    const held = await this.#database.transaction(
      async (run) => {
        refused = undefined // of an attempt before this one
        for (const { key, most, ends } of accounts) {
          const rows = await run({
            sql: HOLD,
            parameters: [
              key,
              amount.tokens,
              amount.cost,
              ends,
              most.tokens ?? null,
              most.cost ?? null,
            ],
          })
          if (rows.length > 0) continue
          const [row] = await run({ sql: TAKEN, parameters: [key] })
          refused = new Refused(
            row &&
              fits(
                {
                  tokens: Number(row['tokens']) + amount.tokens,
                  cost: Number(row['cost']) + amount.cost,
                },
                most,
              )
              ? 'later'
              : 'never',
          )
          throw refused
        }
        for (const { key } of accounts)
          await run({ sql: NOTE, parameters: [id, key, amount.tokens, amount.cost, HOLD_SECONDS] })
      },
      timeLimit(LOOK_MS, 'setting a budget aside'),
    )
    if (refused) return ok(refused.taken)
    return held.ok ? ok('held') : held
  }

  settle(
    id: string,
    accounts: readonly Account[],
    { tokens, cost }: Sum,
  ): ReturnType<Accounts['settle']> {
    return this.#run(SETTLE, [id, accounts.map(({ key }) => key), tokens, cost])
  }

  async tend(open: readonly string[]): ReturnType<Accounts['tend']> {
    const prolonged =
      open.length === 0 ? ok(undefined) : await this.#run(PROLONG, [open, HOLD_SECONDS])
    // Where this process alone has the data, what no call of it set aside was set aside by one that
    // is gone.
    const given = prolonged.ok
      ? await this.#run(GIVE_BACK, [this.#database.exclusive, PROCESS])
      : prolonged
    return given.ok ? this.#run(FORGET, [Date.now()]) : given
  }

  async #run(sql: string, parameters: readonly unknown[]): Promise<Result<void, Failure>> {
    const done = await this.#database.run(
      { sql, parameters },
      timeLimit(LOOK_MS, 'writing down a budget'),
    )
    return done.ok ? ok(undefined) : done
  }
}
