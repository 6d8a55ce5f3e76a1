import { resolve } from 'node:path'
import { Database, Migrations, type Command } from '@amodal/sdk'
import { restoreBackup } from '../backup/restore-backup.ts'
import { heldMigrations } from '../held-migrations.ts'
import { failed, noDatabase } from './report.ts'

/** `amodal ops restore FILE [--replace]`. */
export const restoreCommand: Command = {
  summary: 'Put a backup into the database of the agent',
  usage: 'amodal ops restore FILE [--replace]',
  about: [
    'Into the embedded database or into PostgreSQL, whichever the backup is from. Stop the servers first.',
    'All of it, or nothing: a restore that fails or is killed changes nothing. A file that is cut off or was changed is refused, and so is one of a newer release.',
    'The schema is that of the backup; the next start, or `amodal ops migrate`, applies newer migrations.',
  ],
  examples: [
    ['amodal ops restore agent.backup', 'into an empty database'],
    ['amodal ops restore agent.backup --replace', 'in the place of what there is'],
  ],
  options: {
    replace: { type: 'boolean', description: 'Delete what the database holds' },
  },
  async run({ options, arguments: words, print, fail, signal, start }) {
    const [file, ...more] = words
    if (file === undefined || more.length > 0) {
      fail('name the backup: amodal ops restore FILE')
      return 2
    }
    const kernel = await start({ only: ['ops'], without: ['http'], entries: [heldMigrations] })
    const database = kernel.scope.find(Database)
    if (!database) return noDatabase(fail)
    const restored = await restoreBackup({
      database,
      lists: [...kernel.current().registry(Migrations).values()],
      file: resolve(file),
      replace: options['replace'] === true,
      ageMs: performance.now(),
      loaded: (table, rows) => print(`  ${table}: ${rows}`),
      signal,
    })
    if (!restored.ok) return failed(fail, restored.error)
    print(`Restored what ${restored.value.runtime} backed up at ${restored.value.createdAt}.`)
    return 0
  },
}
