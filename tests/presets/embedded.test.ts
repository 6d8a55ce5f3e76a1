import { embedded } from '@amodal/presets'
import modelFailover from '@amodal/plugin-model-failover'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import { use } from '@amodal/sdk'
import { presetContract } from '@amodal/sdk/testing'
import { agentFolder } from '../support/agent-folder.ts'

presetContract(embedded, {
  keeps: false,
  async place(files) {
    const { dir, remove } = await agentFolder(files)
    return {
      entries: [
        use(secretsEnv, { env: {} }),
        use(repoFiles, { dir }),
        use(modelFailover, { baseMs: 20 }),
      ],
      remove,
    }
  },
})
