import { join } from 'node:path'
import { createAgent, explainStart, readFolder, type EmbeddedAgent } from '@amodal/presets'
import { resolvePlan, use, type Entry, type WireEvent } from '@amodal/sdk'
import {
  pluginContract,
  reply,
  startModelServer,
  type ModelServer,
  type Script,
} from '@amodal/sdk/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { modelQueue } from '../src/model-queue.ts'

pluginContract(modelQueue, { config: { provider: 'local' } })

let model: ModelServer
let agent: EmbeddedAgent | undefined
beforeEach(async () => {
  model = await startModelServer({ script: reply.text('Hello.') })
})
afterEach(async () => {
  await agent?.shutdown()
  await model.close()
})

const start = async (...plugins: readonly Entry[]): Promise<EmbeddedAgent> => {
  agent = await createAgent({
    provider: 'local',
    providerConfig: { baseUrl: model.url, model: 'scripted' },
    apiKey: 'none',
    plugins,
  })
  return agent
}

/** A turn in a session of its own; how it ended, and whether its text has begun. */
function turn(
  { createSession }: EmbeddedAgent,
  signal?: AbortSignal,
): { readonly done: Promise<string | undefined>; readonly seen: readonly WireEvent[] } {
  const seen: WireEvent[] = []
  const read = async (): Promise<string | undefined> => {
    const session = await createSession()
    for await (const event of session.stream('Go', signal && { signal })) seen.push(event)
    const last = seen.at(-1)
    return last?.type === 'done' ? last.reason : undefined
  }
  return { done: read(), seen }
}

/**
 * Answers once `together` requests stand beside each other, or after a moment; counts the most that
 * did.
 */
function counting(together: number): { readonly script: Script; readonly most: () => number } {
  const full = Promise.withResolvers<void>()
  let [now, most] = [0, 0]
  return {
    most: () => most,
    async script() {
      most = Math.max(most, ++now)
      if (now >= together) full.resolve()
      await full.promise
      now--
      return reply.text('Done.')
    },
  }
}

it.each([
  ['all at once without it', 3, []],
  ['two at once', 2, [use(modelQueue, { provider: 'local', most: 2 })]],
  ['one after another', 1, [use(modelQueue, { provider: 'local' })]],
  ['all at once where it is for another provider', 3, [use(modelQueue, { provider: 'elsewhere' })]],
] as const)('asks the model %s', async (_, most, plugins) => {
  const count = counting(most)
  model.play(count.script)
  const running = await start(...plugins)
  const turns = [turn(running), turn(running), turn(running)]
  expect(await Promise.all(turns.map(({ done }) => done))).toEqual([
    'model_stop',
    'model_stop',
    'model_stop',
  ])
  expect(count.most()).toBe(most)
})

it('gives the place on when a reply is stopped in the middle, when one that waits is, and when a call fails', async () => {
  const running = await start(use(modelQueue, { provider: 'local' }))
  model.play([
    reply.text(['Once', ' upon'], { ending: { kind: 'stall', after: 1 } }),
    reply.httpError(400),
    reply.text('Done.'),
  ])
  const [holder, waiter] = [new AbortController(), new AbortController()]
  const first = turn(running, holder.signal)
  await expect.poll(() => first.seen.some(({ type }) => type === 'text_delta')).toBe(true)
  const second = turn(running, waiter.signal)
  await expect.poll(() => second.seen.some(({ type }) => type === 'init')).toBe(true)
  waiter.abort()
  expect(await second.done).toBe('user_abort')
  holder.abort()
  expect(await first.done).toBe('user_abort')
  expect(await turn(running).done).toBe('error')
  expect(await turn(running).done).toBe('model_stop')
  expect(model.count).toBe(3) // the one that only waited was never sent
})

it('is named by its path in amodal.json', async () => {
  const folder = await readFolder({ dir: join(import.meta.dirname, '../agent'), env: {} })
  if (!folder.ok) throw new Error(explainStart(folder.error))
  const plan = resolvePlan(folder.value.entries, folder.value.options)
  expect(plan.ok && plan.value.plugins.find(({ name }) => name === 'model-queue')?.config).toEqual({
    provider: 'ollama',
    most: 2,
  })
})
