import { Commands, definePlugin, Outbound } from '@amodal/sdk'
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
import { withOutbound } from './pkg-command.ts'

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
  requires: { outbound: Outbound },
  errors: partsErrors,
  setup({ add, hooks, deps: { outbound } }) {
    add(FileSources, 'packages', packageSource)
    hooks.tool.guard.tap((verdict, call, { bundle }) => holdToAccepted(verdict, call, bundle), {
      stage: 'guard',
    })
    add(Commands, 'pkg install', withOutbound(installCommand, outbound))
    add(Commands, 'pkg uninstall', withOutbound(uninstallCommand, outbound))
    add(Commands, 'pkg update', withOutbound(updateCommand, outbound))
    add(Commands, 'pkg diff', withOutbound(diffCommand, outbound))
    add(Commands, 'pkg link', withOutbound(linkCommand, outbound))
    add(Commands, 'pkg list', withOutbound(listCommand, outbound))
    add(Commands, 'pkg publish', withOutbound(publishCommand, outbound))
    add(Commands, 'pkg search', withOutbound(searchCommand, outbound))
    add(Commands, 'pkg why', withOutbound(whyCommand, outbound))
  },
})

export default parts
