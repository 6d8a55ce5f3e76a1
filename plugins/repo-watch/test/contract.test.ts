import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import loop from '@amodal/plugin-loop'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { afterAll } from 'vitest'
import { repoWatch } from '../src/index.ts'

const dir = mkdtempSync(join(tmpdir(), 'watched-'))
writeFileSync(join(dir, 'amodal.json'), '{ "name": "watched" }')
afterAll(() => rm(dir, { recursive: true, force: true }))

pluginContract(repoWatch, {
  config: { debounceMs: 50 },
  with: [use(secretsEnv, { env: {}, masterKey: 'memory' }), use(repoFiles, { dir }), use(loop)],
})
