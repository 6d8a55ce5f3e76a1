import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pluginContract } from '@amodal/sdk/testing'
import { afterAll } from 'vitest'
import { workspace } from '../src/index.ts'

const dir = mkdtempSync(join(tmpdir(), 'amodal-workspace-'))
afterAll(() => rm(dir, { recursive: true, force: true }))

pluginContract(workspace, { config: { dir } })
