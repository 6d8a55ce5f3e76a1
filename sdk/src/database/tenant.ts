import { textStart } from '../truncate.ts'
import { err, type Failure, type Result, type TenantId } from '@amodal/kernel'
import { sql } from 'kysely'
import { failure } from '../errors.ts'
import type { Database, Row, Statement, TenantDatabase } from '../ports/database.ts'
import { DatabaseError } from './failures.ts'
import { statement as statementFor } from './statement.ts'

/** The role that sees a tenant's rows and no others. Owns nothing, cannot log in. */
export const TENANT_ROLE = 'amodal_tenant'

/** The setting that row security compares `tenant` with. */
export const TENANT_SETTING = 'amodal.tenant'

const ENTER = statementFor(
  ({ tenant }: { tenant: string }) =>
    sql`select set_config('role', ${sql.lit(TENANT_ROLE)}, true), set_config(${sql.lit(TENANT_SETTING)}, ${tenant}, true)`,
)

/**
 * What reads or writes rows. Everything else could step out of the tenant: another role, another
 * transaction, another schema.
 */
const ROWS =
  /^(?:\s|\(|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:select|insert|update|delete|merge|with|values)\b/i

/** The one function that changes a setting, and the spelling that could hide it. */
const SETTINGS = /\bset_config\b|\bu&"/i

/**
 * The database as one tenant sees it. Every statement enters the tenant's role for its own
 * transaction, in the same round trip, so that row security keeps every other row away whatever the
 * SQL says.
 *
 * @param database the Database slot as it is wired, decorators included
 * @example
 * const acme = tenantDatabase(database, tenantId('acme'))
 * await acme.run({ sql: 'select * from notes', parameters: [] }, signal) // rows of acme only
 */
export function tenantDatabase(database: Database, tenant: TenantId): TenantDatabase {
  const enter: Statement = ENTER({ tenant })
  return {
    async run(statement, signal) {
      const refused = refusal(statement)
      return refused ? err(refused) : database.run(within(enter, statement), signal)
    },
    transaction<T>(
      work: (run: (statement: Statement) => Promise<readonly Row[]>) => Promise<T>,
      signal: AbortSignal,
    ): Promise<Result<T, Failure>> {
      return database.transaction((run) => {
        let entered = false
        return work(async (statement) => {
          const refused = refusal(statement)
          if (refused) throw new DatabaseError(refused)
          const first = !entered
          entered = true
          return run(first ? within(enter, statement) : statement)
        })
      }, signal)
    },
  }
}

const within = (enter: Statement, statement: Statement): Statement => ({
  ...statement,
  before: [enter, ...(statement.before ?? [])],
})

function refusal({ sql, before = [] }: Statement): Failure | undefined {
  const escape = [sql, ...before.map((statement) => statement.sql)].find(
    (text) => !ROWS.test(text) || SETTINGS.test(text),
  )
  return escape === undefined
    ? undefined
    : failure(
        'STORE_FAILED',
        `a tenant's statement reads or writes rows and changes no setting: ${textStart(escape.trim(), 60)}`,
      )
}
