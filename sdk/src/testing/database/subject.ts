import { Kernel, use, type Entry, type KernelError, type Result } from '@amodal/kernel'
import { definePlugin } from '../../define-plugin.ts'
import { Database, Migrations, type MigrationList, type Row } from '../../ports/index.ts'

/** A fresh, empty database, and the plugins that connect to it. */
export interface DatabaseUnderTest {
  /**
   * Plugins that provide Database and TenantDatabase; booted several times, one after the other, on
   * the same data.
   */
  readonly entries: readonly Entry[]
  /** Throws the data away. */
  readonly remove: () => Promise<void>
}

export const NOTES = {
  plugin: 'contract-notes',
  migrations: [
    {
      name: 'notes',
      sql: 'create table contract_notes(tenant text not null, id int not null, body text not null, primary key(tenant, id));',
    },
    {
      name: 'counters',
      sql: 'create table contract_notes_counters(tenant text not null, name text not null, n bigint not null, primary key(tenant, name)); create index contract_notes_counters_n on contract_notes_counters(tenant, n);',
    },
  ],
  tenantTables: ['contract_notes'],
} satisfies MigrationList

/** A plugin with these migrations. */
export function bringing(list: MigrationList): Entry {
  return use(
    definePlugin({
      name: list.plugin,
      version: '1.0.0',
      requires: { database: Database },
      setup({ add }) {
        add(Migrations, list.plugin, list)
      },
    }),
  )
}
/** The database that a contract runs on; read its properties within tests only. */
export interface DatabaseBench {
  readonly kernel: Kernel
  readonly database: Database
  readonly signal: AbortSignal
  readonly run: (sql: string, ...parameters: readonly unknown[]) => Promise<readonly Row[]>
}

export async function boot(
  entries: readonly Entry[],
  ...lists: readonly MigrationList[]
): Promise<Kernel> {
  const created = await Kernel.create([...entries, ...lists.map(bringing)])
  if (!created.ok)
    throw new Error(`the kernel did not start: ${codeOf(created.error)}`, { cause: created.error })
  return created.value
}

export function codeOf(error: KernelError): string {
  return error.kind === 'plugin'
    ? error.error.code
    : error.problems.map(({ code }) => code).join(', ')
}

export function valueOf<T>(result: Result<T, { readonly message: string }>): T {
  if (result.ok) return result.value
  throw new Error(result.error.message, { cause: result.error })
}
