import { Commands, definePlugin } from '@amodal/sdk'
import { FileSources } from '@amodal/plugin-repo-files/tokens'
import { installCommand } from './commands/install.ts'
import { linkCommand } from './commands/link.ts'
import { listCommand, whyCommand } from './commands/list.ts'
import { publishCommand } from './commands/publish.ts'
import { searchCommand } from './commands/search.ts'
import { uninstallCommand } from './commands/uninstall.ts'
import { diffCommand, updateCommand } from './commands/update.ts'
import { partsErrors } from './errors.ts'
import { holdToAccepted } from './guard.ts'
import { packageSource } from './installed-packages.ts'

/**
 * Packages of parts: skills, knowledge, connections, stores, tools, agents, automations, evals and
 * pages that an agent shares with others. Installs them, reads them with the agent folder, and
 * holds them to what a person has accepted.
 */
export const parts = definePlugin({
  name: 'parts',
  version: '0.1.0',
  reaches: {
    hosts: ['*'],
    files: ['amodal.json', 'amodal.lock', '.amodal/packages', '.npmrc'],
    processes: ['git', 'npm'],
  },
  errors: partsErrors,
  setup({ add, hooks }) {
    add(FileSources, 'packages', packageSource)
    hooks.tool.guard.tap((verdict, call, { bundle }) => holdToAccepted(verdict, call, bundle), {
      stage: 'guard',
    })
    add(Commands, 'pkg install', installCommand)
    add(Commands, 'pkg uninstall', uninstallCommand)
    add(Commands, 'pkg update', updateCommand)
    add(Commands, 'pkg diff', diffCommand)
    add(Commands, 'pkg link', linkCommand)
    add(Commands, 'pkg list', listCommand)
    add(Commands, 'pkg publish', publishCommand)
    add(Commands, 'pkg search', searchCommand)
    add(Commands, 'pkg why', whyCommand)
  },
})

export default parts
