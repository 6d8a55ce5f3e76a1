import { Commands, definePlugin } from '@amodal/sdk'
import { addCommand } from './add.ts'
import { doctorCommand } from './doctor.ts'
import { listCommand } from './list.ts'
import { manifestCommand } from './manifest.ts'
import { outdatedCommand } from './outdated.ts'
import { removeCommand } from './remove.ts'
import { whyCommand } from './why.ts'

/** The commands by which people see, take in and take out the plugins of an agent. */
export const pluginManager = definePlugin({
  name: 'plugin-manager',
  version: '0.1.0',
  provides: [Commands],
  setup({ add }) {
    add(Commands, 'plugins list', listCommand)
    add(Commands, 'plugins why', whyCommand)
    add(Commands, 'plugins add', addCommand)
    add(Commands, 'plugins remove', removeCommand)
    add(Commands, 'plugins outdated', outdatedCommand)
    add(Commands, 'plugins doctor', doctorCommand)
    add(Commands, 'plugins manifest', manifestCommand)
  },
})

export default pluginManager
