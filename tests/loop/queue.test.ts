import { describe, expect, test } from 'vitest'
import { gate, startTestAgent } from './support/agent.ts'
import { sharedStore } from './support/store.ts'

describe('messages that wait in one session', () => {
  test('are bounded, however many come at once and from however many instances; whoever has left still waits', async () => {
    const { opened, open } = gate()
    const store = await sharedStore()
    const agents = await Promise.all(
      [1, 2].map(() =>
        startTestAgent({
          store,
          settings: { queue: 10 },
          script: ({ said }) => ({ text: 'heard', ...(said === 'first' ? { until: opened } : {}) }),
        }),
      ),
    )
    const [one, other] = agents
    if (!one || !other) throw new Error('there are two')
    const { session } = await one.say('zero')
    await one.send('first', session)
    const sent = await Promise.all(
      Array.from({ length: 14 }, (_, n) =>
        (n % 2 === 0 ? one : other).face.send({ text: `m${n}`, session }),
      ),
    )
    for (const each of sent) if (each.ok) each.value.frames.close()
    expect(sent.filter(({ ok }) => ok)).toHaveLength(10)
    expect(await one.face.send({ text: 'more', session })).toMatchObject({
      ok: false,
      error: { code: 'QUEUE_FULL' },
    })
    open()
    await expect
      .poll(async () => (await one.kinds(session)).filter((kind) => kind === 'run_ended').length)
      .toBe(12)
  })

  test('are bounded: the next one is refused, and nothing of those before is lost', async () => {
    const agent = await startTestAgent({
      settings: { queue: 2 },
      script: () => ({ text: 'heard' }),
    })
    const first = await agent.say('one')
    const waiting = await Promise.all(
      ['two', 'three', 'four'].map((text) => agent.face.send({ text, session: first.session })),
    )
    expect(waiting.every((one) => one.ok)).toBe(true)
    const refused = await agent.face.send({ text: 'five', session: first.session })
    expect(refused).toMatchObject({ ok: false, error: { code: 'QUEUE_FULL' } })
    for (const one of waiting) {
      const events = []
      if (one.ok) for await (const { event } of one.value.frames) events.push(event.type)
      expect(events.at(-1)).toBe('done')
    }
    expect((await agent.face.send({ text: 'six', session: first.session })).ok).toBe(true)
  })
})
