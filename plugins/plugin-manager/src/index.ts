import { Commands, definePlugin, Inspector } from '@amodal/sdk'
import { addCommand } from './add.ts'
import { doctorCommand } from './doctor.ts'
import { PluginNotAccepted, PluginRefused } from './errors.ts'
import { listCommand } from './list.ts'
import { manifestCommand } from './manifest.ts'
import { outdatedCommand } from './outdated.ts'
import { pageCommand } from './page.ts'
import { removeCommand } from './remove.ts'
import { whyCommand } from './why.ts'

/** The commands that list, add, check and remove the plugins of an agent. */
export const pluginManager = definePlugin({
  name: 'plugin-manager',
  version: '0.1.0',
  reaches: { files: ['amodal.json', 'amodal.lock', 'node_modules'], processes: ['npm'] },
  requires: { inspector: Inspector },
  provides: [Commands],
  errors: [PluginRefused, PluginNotAccepted],
  setup({ add, deps }) {
    add(Commands, 'plugins list', listCommand)
    add(Commands, 'plugins why', whyCommand)
    add(Commands, 'plugins add', addCommand(deps.inspector))
    add(Commands, 'plugins remove', removeCommand)
    add(Commands, 'plugins outdated', outdatedCommand)
    add(Commands, 'plugins doctor', doctorCommand(deps.inspector))
    add(Commands, 'plugins manifest', manifestCommand)
    add(Commands, 'plugins page', pageCommand)
  },
})

export default pluginManager
