import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chat from '@amodal/plugin-chat'
import loop from '@amodal/plugin-loop'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { afterAll } from 'vitest'
import { adminAgent } from '../src/index.ts'

const dir = mkdtempSync(join(tmpdir(), 'amodal-admin-'))
writeFileSync(join(dir, 'amodal.json'), '{ "name": "changed" }')
afterAll(() => rm(dir, { recursive: true, force: true }))

pluginContract(adminAgent, {
  with: [
    use(secretsEnv, { env: {}, masterKey: 'memory' }),
    use(repoFiles, { dir }),
    use(loop),
    use(sessionsMemory),
    use(chat),
  ],
})
