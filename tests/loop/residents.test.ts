import dbPglite from '@amodal/plugin-db-pglite'
import sessions from '@amodal/plugin-sessions'
import { replace, use } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { collectGarbage } from '../reload/collect-garbage.ts'
import { startTestAgent } from './support/agent.ts'

const MB = 1_000_000
const heap = async (): Promise<number> => {
  await collectGarbage()
  return process.memoryUsage().heapUsed
}

describe('histories of idle sessions take so many bytes together, and no more', () => {
  test('with long replies, and the heap does not grow by more than that', async () => {
    const limit = 5 * MB
    const agent = await startTestAgent({
      // The scripted model keeps what it was sent.
      settings: { residentBytes: limit },
      script: ({ prompt, said }) => {
        const asked = prompt.splice(0).filter(({ role }) => role === 'user').length
        return { text: said.startsWith('look') ? 'A'.repeat(MB) : `fine ${asked}` }
      },
      plugins: [replace('sessions-memory', sessions), use(dbPglite, { dataDir: 'memory://' })],
    })
    const first = await agent.say('first')
    const before = await heap()
    for (let n = 0; n < 40; n++) await agent.say(`look at ${n}`)
    const { memory, resident } = agent.agent.status()
    expect(memory).toEqual({ bytes: expect.any(Number) as number, limit })
    expect(memory?.bytes).toBeGreaterThan(3 * MB)
    expect(memory?.bytes).toBeLessThanOrEqual(limit)
    expect(resident).toBeLessThan(6)
    expect((await heap()) - before).toBeLessThan(20 * MB) // the replies are 40 MB
    // A session that was dropped is read from the journal again.
    expect((await agent.say('and now?', first.session)).text).toBe('fine 2')
  }, 120_000)

  test('and small ones count with what they take beside their texts', async () => {
    const agent = await startTestAgent({
      settings: { residentBytes: 200_000 },
      script: ({ n }) => ({ text: `${n}` }),
    })
    for (let n = 0; n < 300; n++) await agent.say('hi')
    const { memory, resident } = agent.agent.status()
    expect(resident).toBeGreaterThan(20)
    expect(resident).toBeLessThan(150)
    expect(memory?.bytes).toBeLessThanOrEqual(200_000)
  }, 60_000)

  test('one that alone is larger does not drive the others out', async () => {
    const agent = await startTestAgent({ settings: { residentBytes: 100_000 } })
    await agent.say('hi')
    await agent.say('x'.repeat(200_000))
    expect(agent.agent.status()).toMatchObject({ resident: 1 })
  })
})
