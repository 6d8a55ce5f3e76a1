import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { gate, startTestAgent } from './support/agent.ts'
import { allFrames } from './support/frames.ts'
import { decorateStore, sharedStore } from './support/store.ts'

test('what does not let go of its run holds up the end of a server no longer than the drain', async () => {
  const stuck = gate()
  const agent = await startTestAgent({
    drainMs: 60_000,
    graceMs: 60_000,
    settings: { drainMs: 20, storeMs: 60_000 },
    script: [{ calls: [{ name: 'stuck' }] }],
    around: (inner) =>
      decorateStore(inner, ({ method }, proceed) => {
        if (method !== 'commit') return proceed()
        stuck.open()
        return new Promise(() => undefined) // also past every deadline
      }),
  })
  await agent.send('hello')
  await stuck.opened
  const begun = performance.now()
  await agent.close()
  expect(performance.now() - begun).toBeLessThan(20_000)
}, 60_000)

test('what is claimed while a server stops is handed back before its store goes, and begins there no more', async () => {
  const store = await sharedStore()
  const first = await startTestAgent({
    store,
    settings: { drainMs: 20 },
    script: [{ text: 'half', until: new Promise(() => undefined) }],
  })
  const left = await first.send('left by a server')
  await expect.poll(() => first.model.asked.length).toBe(1)
  await first.close()

  const [took, looked, kept, answered, drained] = [gate(), gate(), gate(), gate(), gate()]
  const stopping = await startTestAgent({
    store,
    around: (inner) =>
      decorateStore(inner, async ({ method }, proceed) => {
        const answer = await proceed()
        if (method === 'takeover') await passing(took, looked)
        if (method === 'accept') await passing(kept, answered)
        return answer
      }),
    // as a request that is under way does
    taps: (hooks) => hooks.kernel.drain.tap(() => drained.opened),
  })
  const sending = stopping.send('on its way')
  await Promise.all([took.opened, kept.opened])
  const closing = stopping.close().then(() => 'closed')
  answered.open()
  const sent = await sending
  await allFrames(sent.frames) // whoever reads is sent elsewhere
  drained.open()
  // for what the look has taken
  expect(await Promise.race([closing, sleep(200, 'waits')])).toBe('waits')
  looked.open()
  await closing
  expect(stopping.model.asked).toEqual([])

  const next = await startTestAgent({ store, script: () => ({ text: 'an answer' }) })
  for (const { session } of [left, sent])
    await expect.poll(() => next.kinds(session)).toContain('run_ended')
})

type Gate = ReturnType<typeof gate>

async function passing(reached: Gate, open: Gate): Promise<void> {
  reached.open()
  await open.opened
}
