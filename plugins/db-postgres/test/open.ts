import {
  definePlugin,
  Kernel,
  Migrations,
  Database,
  explain,
  use,
  type Entry,
  type MigrationList,
} from '@amodal/sdk'
import { dbPostgres } from '../src/index.ts'
import { plainSecrets } from './plain-secrets.ts'

export function listOf(list: MigrationList): Entry {
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

export async function boot(
  url: string,
  config: Readonly<Record<string, unknown>> = {},
  ...more: readonly Entry[]
): Promise<Kernel> {
  const made = await Kernel.create([plainSecrets(), use(dbPostgres, { url, ...config }), ...more])
  if (!made.ok) throw new Error(explain(made.error), { cause: made.error })
  return made.value
}
