import dbPglite from '@amodal/plugin-db-pglite'
import loop from '@amodal/plugin-loop'
import outbound from '@amodal/plugin-outbound'
import queueDatabase from '@amodal/plugin-queue-database'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessions from '@amodal/plugin-sessions'
import { explain, Database, Kernel, Migrations, unwrap, use } from '@amodal/sdk'
import { catalogueProblems } from '@amodal/sdk/database'
import { pluginContract } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { agentRuns } from '../src/index.ts'

const AROUND = [
  use(secretsEnv),
  use(outbound),
  use(loop),
  use(dbPglite, { dataDir: 'memory://' }),
  use(queueDatabase),
  use(sessions),
]

pluginContract(agentRuns, { with: AROUND })

test('its tables belong to tenants', async () => {
  const kernel = unwrap(await Kernel.create([...AROUND, use(agentRuns)]), explain)
  onTestFinished(async () => void (await kernel.close()))
  const problems = await catalogueProblems(
    kernel.scope.get(Database),
    [...kernel.current().registry(Migrations).values()],
    {},
    AbortSignal.timeout(30_000),
  )
  const all = problems.ok ? problems.value : [problems.error.message]
  expect(all.filter((problem) => problem.includes('agent_runs'))).toEqual([])
})
