/** What work costs a Postgres, as Postgres and the operating system count it. */

import pg from 'pg'

import { cpuTime } from './machine.ts'

export interface DatabaseCosts {
  /** Bytes of write-ahead log. */
  readonly log: number
  /** Milliseconds of processor time of all processes that were there before and after. */
  readonly cpu: number
  readonly transactions: number
  /** Bytes of tables with their indexes and what is stored beside them. */
  readonly kept: number
}

interface Counters extends DatabaseCosts {
  readonly cpuOf: ReadonlyMap<number, number>
}

/** Looks at a database from outside; what it asks itself is part of the figures, and small. */
export class DatabaseMeter {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async open(database: string): Promise<DatabaseMeter> {
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    return new DatabaseMeter(client)
  }

  async of(work: () => Promise<void>): Promise<DatabaseCosts> {
    const before = await this.#read()
    await work()
    const after = await this.#read()
    const cpu = [...after.cpuOf].map(([pid, used]) => used - (before.cpuOf.get(pid) ?? used))
    return {
      log: after.log - before.log,
      cpu: cpu.reduce((sum, used) => sum + used, 0),
      transactions: after.transactions - before.transactions,
      kept: after.kept - before.kept,
    }
  }

  async query<Row extends pg.QueryResultRow>(text: string): Promise<readonly Row[]> {
    return (await this.#client.query<Row>(text)).rows
  }

  close(): Promise<void> {
    return this.#client.end()
  }

  async #read(): Promise<Counters> {
    // What a backend has counted it hands on when it is idle, at most a second later.
    const [figures] = await this.query<{ log: string; transactions: string; kept: string }>(
      `select pg_current_wal_insert_lsn() - '0/0' as log, xact_commit as transactions,
        pg_database_size(current_database()) as kept
      from pg_stat_database where datname = current_database()`,
    )
    const processes = await this.query<{ pid: number }>(
      'select pid from pg_stat_activity where pid <> pg_backend_pid()',
    )
    return {
      log: Number(figures?.log),
      transactions: Number(figures?.transactions),
      kept: Number(figures?.kept),
      cpu: 0,
      cpuOf: new Map(processes.map(({ pid }) => [pid, cpuTime(pid)])),
    }
  }
}
