import {
  Database,
  LOCAL_TENANT,
  principalId,
  sessionId,
  unwrap,
  type ErasureRequest,
} from '@amodal/sdk'
import { runQuery, sql } from '@amodal/sdk/database'
import { expect, test } from 'vitest'
import { eraser } from '../src/eraser.ts'
import { boot, onPglite } from './support.ts'

const limit = AbortSignal.timeout(120_000)
const said = ({ message }: { readonly message: string }): string => message

test('content goes with its automation, or with its session, and sooner where nobody needs it', async () => {
  const delivery = { targets: [{ type: 'callback' }] }
  const agent = await boot({
    files: {
      'automations/digest.json': { prompt: 'Sum up.', delivery },
      'automations/incident.json': { prompt: 'Look.', trigger: 'webhook' },
    },
    storage: onPglite(),
  })
  const database = agent.scope.get(Database)
  const rows = async (table: string): Promise<readonly Record<string, unknown>[]> =>
    unwrap(await runQuery(database, sql`select * from ${sql.table(table)}`, limit), said)
  const erase = async (request: Omit<ErasureRequest, 'tenant'>, sessions: readonly string[]) => {
    const gone = sessions.map((session) => ({
      tenant: LOCAL_TENANT,
      session: sessionId(session),
      runs: [],
    }))
    return unwrap(
      await database.transaction(
        async (run) => unwrap(await eraser.erase({ ...request, sessions: gone }, run), said),
        limit,
      ),
      said,
    )
  }

  const first = await agent.run('digest')
  await agent.run('digest')
  await agent.post('/webhooks/incident?wait=1', { patient: 'Anna' })
  expect(JSON.stringify(await rows('automations_run'))).not.toContain('Anna') // it has ended
  expect(await rows('automations_delivery')).toHaveLength(2)

  const anna = principalId('anna')
  expect(await erase({ principal: anna }, [])).toMatchObject({ removed: 0, unknown: 0 })
  await erase({ principal: anna }, [String(first['session_id'])])
  expect(await rows('automations_run')).toHaveLength(2)
  expect(await rows('automations_delivery')).toHaveLength(1)

  await erase({ principal: principalId('automation:digest') }, [])
  expect(await rows('automations_run')).toMatchObject([{ automation: 'incident' }])
  expect(await rows('automations_delivery')).toEqual([])
  expect(await rows('automations_attempt')).toEqual([])
})
