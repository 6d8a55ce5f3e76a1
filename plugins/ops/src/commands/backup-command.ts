import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Database, Migrations, type Command } from '@amodal/sdk'
import { FileExists } from '../errors.ts'
import { writeBackup } from '../backup/write-backup.ts'
import { filesOutside } from '../files-outside.ts'
import { heldMigrations } from '../held-migrations.ts'
import { failed, noDatabase } from './report.ts'

/**
 * `amodal ops backup --output FILE`.
 *
 * @param runtime version that the file names
 */
export const backupCommand = (runtime: () => string): Command => ({
  summary: 'Copy the database of the agent into a file',
  usage: 'amodal ops backup --output FILE [--json]',
  about: [
    'The rows of all plugins as one snapshot has them. Servers on PostgreSQL may go on meanwhile; a server on the embedded database has to be stopped.',
    'What is sealed stays sealed. The master key is not in the file: keep it, and keep it apart. Files outside of the database are named at the end.',
  ],
  examples: [
    ['amodal ops backup --output agent.backup', 'make one'],
    ['amodal ops restore agent.backup', 'put it into an empty database'],
  ],
  options: {
    output: { type: 'string', short: 'o', description: 'The file to write; it must not exist' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ options, arguments: words, dir, print, fail, signal, start }) {
    const { output } = options
    if (typeof output !== 'string' || output === '' || words.length > 0) {
      fail('name the file to write: amodal ops backup --output FILE')
      return 2
    }
    const file = resolve(output)
    if (existsSync(file)) return failed(fail, FileExists(`${file} is there already`))
    const kernel = await start({ only: ['ops'], without: ['http'], entries: [heldMigrations] })
    const database = kernel.scope.find(Database)
    if (!database) return noDatabase(fail)
    const lists = [...kernel.current().registry(Migrations).values()]
    const written = await writeBackup({ database, lists, file, runtime: runtime(), signal })
    if (!written.ok) return failed(fail, written.error)
    const { header, skipped } = written.value
    const { size: bytes } = await stat(file)
    const rows = header.tables.reduce((sum, table) => sum + table.rows, 0)
    const outside = filesOutside(dir)
    if (options['json'] === true)
      print(JSON.stringify({ file, bytes, ...header, skipped, outside }))
    else {
      print(`${file}: ${rows} rows of ${header.tables.length} tables, ${bytes} bytes`)
      for (const name of skipped)
        print(`Not in it: tables of ${name}, which is not among the plugins of this agent`)
      for (const { path, about } of outside) print(`Not in it: ${path}, ${about}`)
    }
    return 0
  },
})
