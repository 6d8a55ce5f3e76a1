import {
  ok,
  timeLimit,
  type Database,
  type Failure,
  type Result,
  type Statement,
} from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import {
  type Account,
  type Accounts,
  fits,
  PROCESS,
  type Sum,
  type HoldOutcome,
} from './accounts.ts'
import { FORGET, RELEASE_EXPIRED, HOLD, NOTE, EXTEND, SETTLE, SPENT } from './statements.ts'

/** ms for one query: a model call waits for it. */
const QUERY_MS = 5_000
/** Seconds after which a reservation expires unless its process renews it. */
const HOLD_SECONDS = 120

/** Thrown to roll a transaction back. */
class Refused extends Error {
  readonly outcome: Exclude<HoldOutcome, 'held'>

  constructor(outcome: Exclude<HoldOutcome, 'held'>) {
    super(outcome)
    this.outcome = outcome
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
    const limit = timeLimit(QUERY_MS, 'setting a budget aside')
    const held = await this.#database.transaction(async (run) => {
      refused = undefined // of an attempt before this one
      for (const { key, most, ends } of accounts) {
        const [mostTokens, mostCost] = [most.tokens ?? null, most.cost ?? null]
        const rows = await runIn(run, HOLD({ key, ...amount, ends, mostTokens, mostCost }))
        if (rows.length > 0) continue
        const [row] = await runIn(run, SPENT({ key }))
        refused = new Refused(
          row && fits({ tokens: row.tokens + amount.tokens, cost: row.cost + amount.cost }, most)
            ? 'later'
            : 'never',
        )
        throw refused
      }
      for (const { key } of accounts)
        await runIn(run, NOTE({ id, key, ...amount, seconds: HOLD_SECONDS }))
    }, limit)
    if (refused) return ok(refused.outcome)
    return held.ok ? ok('held') : held
  }

  settle(
    id: string,
    accounts: readonly Account[],
    { tokens, cost }: Sum,
  ): ReturnType<Accounts['settle']> {
    return this.#run(SETTLE({ id, keys: accounts.map(({ key }) => key), tokens, cost }))
  }

  async maintain(open: readonly string[]): ReturnType<Accounts['maintain']> {
    const prolonged =
      open.length === 0
        ? ok(undefined)
        : await this.#run(EXTEND({ ids: open, seconds: HOLD_SECONDS }))
    // With an exclusive database, every reservation of another process is left over from a crash.
    const given = prolonged.ok
      ? await this.#run(RELEASE_EXPIRED({ alone: this.#database.exclusive, process: PROCESS }))
      : prolonged
    return given.ok ? this.#run(FORGET({ now: Date.now() })) : given
  }

  async #run(statement: Statement): Promise<Result<void, Failure>> {
    const done = await this.#database.run(statement, timeLimit(QUERY_MS, 'writing down a budget'))
    return done.ok ? ok(undefined) : done
  }
}
