import {
  ok,
  timeLimit,
  type Database,
  type Failure,
  type Result,
  type Statement,
} from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { type Account, type Accounts, fits, PROCESS, type Sum, type Taken } from './accounts.ts'
import { FORGET, GIVE_BACK, HOLD, NOTE, PROLONG, SETTLE, TAKEN } from './statements.ts'

/** ms for one look into the database: a model call waits for it. */
const LOOK_MS = 5_000
/** What a process has set aside is given back so many seconds after it was last seen. */
const HOLD_SECONDS = 120

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
    const limit = timeLimit(LOOK_MS, 'setting a budget aside')
    const held = await this.#database.transaction(async (run) => {
      refused = undefined // of an attempt before this one
      for (const { key, most, ends } of accounts) {
        const [mostTokens, mostCost] = [most.tokens ?? null, most.cost ?? null]
        const rows = await runIn(run, HOLD({ key, ...amount, ends, mostTokens, mostCost }))
        if (rows.length > 0) continue
        const [row] = await runIn(run, TAKEN({ key }))
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
    if (refused) return ok(refused.taken)
    return held.ok ? ok('held') : held
  }

  settle(
    id: string,
    accounts: readonly Account[],
    { tokens, cost }: Sum,
  ): ReturnType<Accounts['settle']> {
    return this.#run(SETTLE({ id, keys: accounts.map(({ key }) => key), tokens, cost }))
  }

  async tend(open: readonly string[]): ReturnType<Accounts['tend']> {
    const prolonged =
      open.length === 0
        ? ok(undefined)
        : await this.#run(PROLONG({ ids: open, seconds: HOLD_SECONDS }))
    // Where this process alone has the data, what no call of it set aside was set aside by one that
    // is gone.
    const given = prolonged.ok
      ? await this.#run(GIVE_BACK({ alone: this.#database.exclusive, process: PROCESS }))
      : prolonged
    return given.ok ? this.#run(FORGET({ now: Date.now() })) : given
  }

  async #run(statement: Statement): Promise<Result<void, Failure>> {
    const done = await this.#database.run(statement, timeLimit(LOOK_MS, 'writing down a budget'))
    return done.ok ? ok(undefined) : done
  }
}
