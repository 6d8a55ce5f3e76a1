import {
  definePlugin,
  LOCAL_TENANT,
  principalId,
  SessionFacts,
  slot,
  tenantId,
  use,
  type Json,
} from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { startTestAgent, type TestAgent, type TestAgentOptions } from './support/agent.ts'
import { framesOf } from './support/frames.ts'
import { writes } from './support/tools.ts'

interface Basket {
  readonly of: string
  readonly things: string[]
}
const Basket = slot.session<Basket>('basket')

/** A service of the session, which a tap of each run puts something into. */
async function withBaskets(
  options: TestAgentOptions = {},
): Promise<{ readonly agent: TestAgent; readonly seen: string[]; readonly closed: string[] }> {
  const [seen, closed]: [string[], string[]] = [[], []]
  let count = 0
  const baskets = definePlugin({
    name: 'baskets',
    version: '1.0.0',
    provides: [Basket],
    setup({ provide, hooks, onDispose }) {
      provide(Basket, (scope) => {
        const { tenant, principal } = scope.get(SessionFacts)
        const basket = { of: `${++count} ${tenant} ${principal}`, things: [] }
        scope.onClose(() => {
          closed.push(basket.of)
        })
        return basket
      })
      hooks.run.start.tap(({ text }, { scope }) => {
        const basket = scope.get(Basket)
        basket.things.push(text)
        seen.push(`${basket.of}: ${basket.things.join()}`)
        return undefined
      })
      onDispose(() => {
        closed.push('plugin')
      })
    },
  })
  return {
    agent: await startTestAgent({
      ...options,
      plugins: [use(baskets), ...(options.plugins ?? [])],
    }),
    seen,
    closed,
  }
}

describe('a service of a session lives as long as the session is resident', () => {
  test('over its runs, until the session is removed', async () => {
    const { agent, seen, closed } = await withBaskets()
    const { session } = await agent.say('a')
    await agent.say('b', session)
    await agent.say('c')
    expect(seen).toEqual(['1 local me: a', '1 local me: a,b', '2 local me: c'])
    expect(closed).toEqual([])
    await agent.face.remove(session)
    await expect.poll(() => closed).toEqual(['1 local me'])
  })

  test('until it makes room for others', async () => {
    const { agent, closed } = await withBaskets({ settings: { residentBytes: 50_000 } })
    for (let n = 0; n < 30; n++) await agent.say('hi')
    await expect.poll(() => closed.length).toBe(30 - agent.agent.status().resident)
    expect(closed.slice(0, 2)).toEqual(['1 local me', '2 local me'])
  })

  test('and no longer than its run, where the session is too large to be kept', async () => {
    const { agent, seen, closed } = await withBaskets({ settings: { residentBytes: 0 } })
    const { session } = await agent.say('a')
    await agent.say('b', session)
    expect(seen).toEqual(['1 local me: a', '2 local me: b'])
    await expect.poll(() => closed).toEqual(['1 local me', '2 local me'])
  })

  test('until the wiring changes: it is closed before its plugin is', async () => {
    const { agent, seen, closed } = await withBaskets()
    const { session } = await agent.say('a')
    const other = definePlugin({ name: 'other', version: '1.0.0', setup: () => undefined })
    const reloaded = await agent.kernel.reload([...agent.entries, use(other)])
    expect(reloaded.ok).toBe(true)
    await expect.poll(() => closed).toEqual(['1 local me'])
    await agent.say('b', session)
    expect(seen).toEqual(['1 local me: a', '2 local me: b'])
    await agent.close()
    expect(closed).toEqual(['1 local me', '2 local me', 'plugin'])
    expect(agent.errors).toEqual([])
  })

  test("and is nobody else's: another principal of the session, and another tenant, have their own", async () => {
    const { agent, seen, closed } = await withBaskets()
    const { session } = await agent.say('a')
    const bob = agent.agent.as({ tenant: LOCAL_TENANT, principal: principalId('bob') })
    const sent = await bob.send({ text: 'b', session })
    if (!sent.ok) throw new Error(sent.error.message)
    await framesOf(sent.value.frames)
    await expect.poll(() => closed).toEqual(['1 local me'])
    const elsewhere = await agent.agent
      .as({ tenant: tenantId('acme'), principal: principalId('me') })
      .send({ text: 'c' })
    if (!elsewhere.ok) throw new Error(elsewhere.error.message)
    await framesOf(elsewhere.value.frames)
    expect(seen).toEqual(['1 local me: a', '2 local bob: b', '3 acme me: c'])
  })
})

test('a tool reads what earlier calls have left in the state of the session', async () => {
  const read: Json[] = []
  const agent = await startTestAgent({
    script: ({ n }) => (n % 2 === 0 ? { calls: [{ name: 'count', args: {} }] } : { text: 'done' }),
    tools: [
      writes('count', (_args, { sessionState }) => {
        const count = Number(sessionState['count'] ?? 0) + 1
        read.push(sessionState['count'] ?? null)
        return { status: 'success', output: count, sessionState: { count } }
      }),
    ],
  })
  const { session } = await agent.say('one')
  await agent.say('two', session)
  expect(read).toEqual([null, 1])
})
