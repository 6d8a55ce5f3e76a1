import dbPglite from '@amodal/plugin-db-pglite'
import outbound from '@amodal/plugin-outbound'
import secretsEnv from '@amodal/plugin-secrets-env'
import toolsCustom from '@amodal/plugin-tools-custom'
import { Database, explain, Kernel, Migrations, unwrap, use } from '@amodal/sdk'
import { catalogueProblems } from '@amodal/sdk/database'
import { pluginContract } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { toolsVersions } from '../src/index.ts'

const AROUND = [
  use(secretsEnv, { env: {}, masterKey: 'memory' }),
  use(outbound),
  use(dbPglite, { dataDir: 'memory://' }),
  use(toolsCustom),
]

pluginContract(toolsVersions, { with: AROUND })

test('its tables belong to tenants', async () => {
  const kernel = unwrap(await Kernel.create([...AROUND, use(toolsVersions)]), explain)
  onTestFinished(async () => void (await kernel.close()))
  const problems = await catalogueProblems(
    kernel.scope.get(Database),
    [...kernel.current().registry(Migrations).values()],
    { tools_versions_invocation_search: 'the tenant is the first lexeme of each row' },
    AbortSignal.timeout(30_000),
  )
  const all = problems.ok ? problems.value : [problems.error.message]
  expect(all.filter((problem) => problem.includes('tools_versions'))).toEqual([])
})
