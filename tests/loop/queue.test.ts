import { describe, expect, test } from 'vitest'
import { startTestAgent } from './support/agent.ts'

describe('messages that wait in one session', () => {
  test('are bounded: the next one is refused, and nothing of those before is lost', async () => {
    const agent = await startTestAgent({ settings: { queue: 2 }, script: () => ({ text: 'heard' }) })
    const first = await agent.say('one')
    const waiting = await Promise.all(['two', 'three', 'four'].map((text) => agent.face.send({ text, session: first.session })))
    expect(waiting.every((one) => one.ok)).toBe(true)
    const refused = await agent.face.send({ text: 'five', session: first.session })
    expect(refused).toMatchObject({ ok: false, error: { code: 'QUEUE_FULL', status: 429 } })
    for (const one of waiting) {
      const events = []
      if (one.ok) for await (const { event } of one.value.frames) events.push(event.type)
      expect(events.at(-1)).toBe('done')
    }
    expect((await agent.face.send({ text: 'six', session: first.session })).ok).toBe(true)
  })
})
