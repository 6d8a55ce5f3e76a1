import { Commands, Database, definePlugin } from '@amodal/sdk'
import { z } from 'zod'
import { eraseCommand } from './command.ts'

/**
 * Erases the content of a person: `amodal ops erase`. Each plugin that stores content erases its
 * own.
 */
export const erasure = definePlugin({
  name: 'erasure',
  version: '0.1.0',
  optional: { database: Database },
  config: z.strictObject({}),
  setup({ add }) {
    add(Commands, 'ops erase', eraseCommand)
  },
})

export default erasure
