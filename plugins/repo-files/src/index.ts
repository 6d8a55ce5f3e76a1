import { BundleSource, Commands, definePlugin, Secrets } from '@amodal/sdk'
import { z } from 'zod'
import { loadBundle } from './load.ts'
import { validateCommand } from './validate.ts'

export { loadBundle, type LoadFailure, type LoadOptions } from './load.ts'

/** Loads the agent folder into an immutable bundle, and checks it with `amodal validate`. */
export const repoFiles = definePlugin({
  name: 'repo-files',
  version: '0.1.0',
  requires: { secrets: Secrets },
  provides: [BundleSource],
  config: z.object({
    dir: z.string().min(1).describe('The agent folder'),
    folders: z.array(z.string().regex(/^[\w-]+$/)).default([]).describe('Folders to read beside those of the format'),
    maxFileBytes: z.int().positive().default(1_048_576).describe('Bytes of one file'),
    maxFiles: z.int().positive().default(2_000).describe('Files read'),
  }),
  setup({ config, deps, provide, add, generation }) {
    const { dir, ...limits } = config
    provide(BundleSource, () => ({
      where: dir,
      load: (signal) => loadBundle(dir, { ...limits, secrets: deps.secrets, signal }),
    }))
    add(Commands, 'validate', validateCommand(deps.secrets, limits, generation))
  },
})

export default repoFiles
