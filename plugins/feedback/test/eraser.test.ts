import { Database, principalId, sessionId, tenantId, unwrap } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { eraser } from '../src/eraser.ts'
import { boot, STORAGES, TENANT, type Json } from './support.ts'

const limit = AbortSignal.timeout(120_000)
const messageOf = ({ message }: { readonly message: string }): string => message

test('opinions go with their person, and with whoever had the conversation', async () => {
  const storage = STORAGES.find(([name]) => name === 'pglite')?.[1]
  const door = await boot({ storage: storage?.() ?? [] })
  const [ofAnn, ofBen] = [await door.ask('Ann?'), await door.ask('Ben?', { principal: 'ben' })]
  for (const session of [ofAnn, ofBen])
    for (const principal of ['ann', 'ben', 'eve'])
      await door.post({ session_id: session, rating: 'up' }, { principal })
  const elsewhere = await door.ask('Ann?', { tenant: 'other' })
  await door.post({ session_id: elsewhere, rating: 'up' }, { tenant: 'other' })

  const erased = await door.scope.get(Database).transaction(
    async (run) =>
      unwrap(
        await eraser.erase(
          {
            principal: principalId('ann'),
            tenant: TENANT,
            sessions: [{ tenant: TENANT, session: sessionId(ofAnn), runs: [] }],
          },
          run,
        ),
        messageOf,
      ),
    limit,
  )
  expect(unwrap(erased, messageOf)).toEqual({
    removed: 4,
    unknown: 0,
    tables: ['feedback_entry'],
  })
  const { feedback } = await door.json('/api/feedback')
  const remaining = (feedback as readonly Json[]).map((one) => [
    one['session_id'],
    one['principal'],
  ])
  expect(remaining.toSorted()).toEqual([
    [ofBen, 'ben'],
    [ofBen, 'eve'],
  ])
  expect(await door.json('/api/feedback', { tenant: tenantId('other') })).toMatchObject({
    feedback: [{ session_id: elsewhere }],
  })
})
