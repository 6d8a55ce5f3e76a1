import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import dbPglite from '@amodal/plugin-db-pglite'
import loop from '@amodal/plugin-loop'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { afterAll } from 'vitest'
import { deploy } from '../src/index.ts'

const dir = mkdtempSync(join(tmpdir(), 'deployed-'))
writeFileSync(join(dir, 'amodal.json'), '{ "name": "deployed" }')
afterAll(() => rm(dir, { recursive: true, force: true }))

pluginContract(deploy, {
  config: { dir },
  with: [
    use(secretsEnv, { env: {}, masterKey: 'memory' }),
    use(dbPglite, { dataDir: 'memory://' }),
    use(repoFiles, { dir }),
    use(loop),
  ],
})
