import { Client } from 'pg'
import {
  failure,
  messageOf,
  ok,
  err,
  tryAsync,
  type Checkup,
  type DatabaseProbe,
  type ProbedDatabase,
  type Result,
  type Failure,
} from '@amodal/sdk'
import {
  decodeRow,
  encodeAll,
  shapeOf,
  statementFailure,
  type MigrationLists,
} from '@amodal/sdk/database'
import type { Address } from './address.ts'
import { activityCheckups } from './probe-activity.ts'
import { listenCheckup } from './probe-listen.ts'
import type { Read } from './probe-read.ts'
import { schemaCheckups } from './probe-schema.ts'
import { serverCheckups } from './probe-server.ts'

/** ms of one statement. */
const STATEMENT_MS = 10_000

export interface ProbeOptions {
  readonly address: () => Result<Address, Failure>
  readonly connectTimeoutMs: number
  /** Connections of one instance. */
  readonly max: number
  readonly listen: boolean
  readonly migrations: MigrationLists
  readonly signal: AbortSignal
}

/** Looks into a database over a connection of its own that may only read. */
export async function probe(options: ProbeOptions): Promise<DatabaseProbe> {
  const address = options.address()
  if (!address.ok) return unreached('Database', [address.error.message])
  const { url, shown } = address.value
  const begun = performance.now()
  const client = clientOf(url, options.connectTimeoutMs)
  const connected = await tryAsync(() => client.connect(), messageOf)
  if (!connected.ok) {
    await client.end().catch(() => undefined)
    return unreached(`Database at ${shown} cannot be reached`, [
      connected.error === '' ? 'nobody listens there' : connected.error,
      'look at DATABASE_URL, the network between, and whether the server runs',
    ])
  }
  const ms = Math.round(performance.now() - begun)
  const database = probed(client)
  const read: Read = (sql) => rowsOf(database, sql, options.signal)
  const made: Checkup[] = [
    { title: `Database at ${shown}: connected in ${ms} ms`, ok: true, lines: [] },
  ]
  const parts = [
    () => serverCheckups(read, options),
    () => schemaCheckups(read, options.migrations),
    () => activityCheckups(read),
    () => listenCheckup(() => clientOf(url, options.connectTimeoutMs), options.listen),
  ]
  for (const part of parts) {
    const checked = await tryAsync(part, messageOf)
    made.push(...(checked.ok ? checked.value : [failed(checked.error)]))
  }
  return { checkups: made, database, close: () => client.end().catch(() => undefined) }
}

const failed = (why: string): Checkup => ({
  title: 'Database cannot be looked into',
  ok: false,
  lines: [why],
})

const unreached = (title: string, lines: readonly string[]): DatabaseProbe => ({
  checkups: [{ title, ok: false, lines }],
  database: undefined,
  close: async () => undefined,
})

function clientOf(url: string, connectTimeoutMs: number): Client {
  const client = new Client({
    connectionString: url,
    application_name: 'amodal doctor',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: STATEMENT_MS,
  })
  client.on('error', () => undefined) // one that breaks fails its statement
  return client
}

function probed(client: Client): ProbedDatabase {
  return {
    dialect: 'postgres',
    async run({ sql, parameters }, signal) {
      if (signal.aborted)
        return err(failure('TIMEOUT', messageOf(signal.reason), { cause: signal.reason }))
      const done = await tryAsync(async () => {
        await client.query('begin read only')
        try {
          const { rows, fields } = await client.query<(string | null)[]>({
            text: sql,
            values: encodeAll(parameters),
            rowMode: 'array',
            types: { getTypeParser: () => (text: string) => text },
          })
          const shape = shapeOf(fields)
          return rows.map((row) => decodeRow(shape, row))
        } finally {
          await client.query('rollback')
        }
      }, statementFailure)
      return done.ok ? ok(done.value) : done
    },
  }
}

/** @throws where the statement fails */
async function rowsOf(
  database: ProbedDatabase,
  sql: string,
  signal: AbortSignal,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const rows = await database.run({ sql, parameters: [] }, signal)
  if (!rows.ok) throw new Error(rows.error.message, { cause: rows.error })
  return rows.value
}
