import { readFileSync } from 'node:fs'
import { Commands, Database, definePlugin } from '@amodal/sdk'
import { z } from 'zod'
import { backupCommand } from './commands/backup-command.ts'
import { dockerCommand } from './commands/docker-command.ts'
import { loginCommand, logoutCommand } from './commands/login-command.ts'
import { migrateCommand } from './commands/migrate-command.ts'
import { restoreCommand } from './commands/restore-command.ts'
import { secretsCommand } from './commands/secrets-command.ts'
import { opsErrors } from './errors.ts'

/** Commands for those who run an agent: backups and migrations of its database. */
export const ops = definePlugin({
  name: 'ops',
  version: '0.1.0',
  reaches: { files: ['.'] },
  optional: { database: Database },
  config: z.strictObject({}),
  errors: opsErrors,
  setup({ add }) {
    add(Commands, 'ops backup', backupCommand(runtimeVersion))
    add(Commands, 'ops restore', restoreCommand)
    add(Commands, 'ops migrate', migrateCommand)
    add(Commands, 'ops docker', dockerCommand)
    add(Commands, 'ops secrets', secretsCommand)
    add(Commands, 'auth login', loginCommand)
    add(Commands, 'auth logout', logoutCommand)
  },
})

/** All packages of a release have one version. */
function runtimeVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}

export default ops
