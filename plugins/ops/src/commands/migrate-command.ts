import { Database, Migrations, type Command, type CommandContext } from '@amodal/sdk'
import { readSchemaState, schemaWork, type SchemaWork } from '@amodal/sdk/database'
import { heldMigrations } from '../held-migrations.ts'
import { failed, noDatabase } from './report.ts'

/** `amodal ops migrate [--plan]`. */
export const migrateCommand: Command = {
  summary: 'Apply the migrations of this release to the database',
  usage: 'amodal ops migrate [--plan] [--json]',
  about: [
    'A start does the same; a job that runs before it keeps long migrations out of the start of a server. Several may run at once: each migration is applied once.',
    'A database of a newer release is refused with MIGRATION_UNKNOWN, as by a start.',
  ],
  examples: [
    ['amodal ops migrate --plan --preset production', 'say what would be applied'],
    ['amodal ops migrate --preset production', 'apply it'],
  ],
  options: {
    plan: { type: 'boolean', description: 'Say what would be applied, and change nothing' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run(context) {
    const { options, print } = context
    const planned = await plan(context)
    if (planned === undefined) return 1
    const isPlan = options['plan'] === true
    if (!isPlan && !(await apply(context))) return 1
    const pending = planned.pending.map(({ plugin, n, name }) => ({ plugin, n, name }))
    if (options['json'] === true) print(JSON.stringify({ applied: !isPlan, migrations: pending }))
    else if (pending.length === 0) print('No migration is pending.')
    else {
      print(isPlan ? 'Pending:' : 'Applied:')
      for (const { plugin, n, name } of pending) print(`  ${plugin} ${n}: ${name}`)
    }
    return 0
  },
}

/** Looks at the database as it is; `undefined` where that has failed. */
async function plan({ fail, signal, start }: CommandContext): Promise<SchemaWork | undefined> {
  const kernel = await start({ only: ['ops'], without: ['http'], entries: [heldMigrations] })
  try {
    const database = kernel.scope.find(Database)
    if (!database) {
      noDatabase(fail)
      return undefined
    }
    const state = await readSchemaState(database, signal)
    const work = state.ok
      ? schemaWork([...kernel.current().registry(Migrations).values()], state.value)
      : state
    if (work.ok) return work.value
    failed(fail, work.error)
    return undefined
  } finally {
    // the embedded database has one user at a time
    await kernel.close('planned')
  }
}

/** The start migrates; a statement waits for that, however long it takes. */
async function apply({ fail, signal, start }: CommandContext): Promise<boolean> {
  const kernel = await start({ only: ['ops'], without: ['http'] })
  const ready = await kernel.scope.get(Database).run({ sql: 'select 1', parameters: [] }, signal)
  if (!ready.ok) failed(fail, ready.error)
  return ready.ok
}
