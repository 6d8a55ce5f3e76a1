import type { Pool } from 'pg'
import { z } from 'zod'
import {
  Database,
  definePlugin,
  fixOf,
  Health,
  Migrations,
  PluginError,
  Secrets,
  SessionFacts,
  TenantDatabase,
  type Failure,
  type Result,
  timeLimit,
} from '@amodal/sdk'
import { DatabaseProbes } from '@amodal/sdk/inspection'
import { migrationsToApply, tenantDatabase } from '@amodal/sdk/database'
import { parseAddress, type Address } from './address.ts'
import { PostgresDatabase } from './database.ts'
import { probe } from './probe.ts'

/** ms that the start waits for migrations; a longer one goes on, and statements wait for it. */
const PATIENCE_MS = 20_000

/**
 * A Postgres server, through a pool of connections.
 *
 * @example
 * use(dbPostgres, { url: 'env:DATABASE_URL', max: 20 })
 */
export const dbPostgres = definePlugin({
  name: 'db-postgres',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'] },
  requires: { secrets: Secrets },
  provides: [Database, TenantDatabase],
  config: z.object({
    /** `postgres://user:password@host:5432/database`, or `env:NAME`. */
    url: z.string().min(1).default('env:DATABASE_URL'),
    /**
     * A `Pool` of `pg` that is there already; `url`, `max` and both times are its own affair then.
     */
    pool: z.custom<Pool>(isPool, 'a Pool of the package `pg`').optional(),
    /** Connections at most. */
    max: z.number().int().min(1).max(1_000).default(10),
    /** ms a statement may take. Migrations may take longer. */
    statementTimeoutMs: z.number().int().min(1).default(30_000),
    /** ms to wait for a connection. */
    connectTimeoutMs: z.number().int().min(1).default(5_000),
    /** `false` behind a pooler that cannot LISTEN (PgBouncer in transaction mode). */
    listen: z.boolean().default(true),
    /** `false` behind a pooler that cannot keep prepared statements (PgBouncer before 1.21). */
    prepare: z.boolean().default(true),
  }),
  setup({ name, config, deps: { secrets }, provide, add, onBoot, generation, log }) {
    const database = new PostgresDatabase({
      ...config,
      log,
      address: () => addressOf(secrets, config.url, `url of ${name}`),
      migrations: () => migrationsToApply(generation()),
    })
    provide(Database, () => database)
    provide(TenantDatabase, (scope) =>
      tenantDatabase(scope.get(Database), scope.get(SessionFacts).tenant),
    )
    add(DatabaseProbes, name, ({ secrets: read = secrets, signal }) =>
      probe({
        ...config,
        address: () => addressOf(read, config.url, `url of ${name}`),
        migrations: generation().registry(Migrations),
        signal,
      }),
    )
    add(Health, 'database', () => {
      const { ready, problem } = database.ready()
      return {
        facts: { database: { dialect: database.dialect, ready } },
        ...(problem && { problem: problem.message, fix: fixOf(problem) }),
      }
    })
    onBoot(async (signal) => {
      const opened = await database.open(timeLimit(PATIENCE_MS, 'opening the database', signal))
      if (!opened.ok && opened.error.details?.['aborted'] !== true) {
        await database.close()
        const { code, message } = opened.error
        throw new PluginError(
          name,
          'boot',
          'onBoot',
          new Error(message, { cause: opened.error }),
          code,
        )
      }
      return () => database.close()
    })
  },
})

/** Also one of another copy of the package. */
function isPool(value: unknown): value is Pool {
  return typeof value === 'object' && value !== null && 'connect' in value && 'options' in value
}

function addressOf(secrets: Secrets, url: string, where: string): Result<Address, Failure> {
  const resolved = secrets.resolve(url, where)
  return resolved.ok ? parseAddress(resolved.value) : resolved
}

export default dbPostgres
