import loop from '@amodal/plugin-loop'
import {
  Agent,
  definePlugin,
  LOCAL_TENANT,
  principalId,
  replace,
  use,
  type Entry,
  type HookTaps,
} from '@amodal/sdk'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { gate, given, startTestAgent, type TestAgent } from './support/agent.ts'
import { only, outcomes } from './support/entries.ts'
import { allFrames, eventsOf, framesOf, told } from './support/frames.ts'
import { reads, success, writes } from './support/tools.ts'

let reloads = 0
/** The same wiring and one plugin more, so that a new generation is made. */
const more = ({ entries }: TestAgent, taps?: (hooks: HookTaps) => void): readonly Entry[] => [
  ...entries,
  use(
    definePlugin({
      name: `more-${++reloads}`,
      version: '1.0.0',
      setup: ({ hooks }) => taps?.(hooks),
    }),
  ),
]

test('a run in progress past the drain limit goes on in the new generation, from its last commit', async () => {
  const seen: number[] = []
  const agent = await startTestAgent({
    drainMs: 30,
    graceMs: 500,
    script: ({ n, results }) => {
      if (n === 0) return { text: 'first ', calls: [{ name: 'write', id: 'w' }] }
      return n === 1
        ? { text: ['never ', 'heard'], until: new Promise(() => undefined) }
        : { text: `after ${Object.keys(results).join()}` }
    },
    tools: [writes('write')],
  })
  const sent = await agent.send('go')
  const reading = allFrames(sent.frames)
  await expect.poll(() => agent.model.asked.length).toBe(2)
  const old = agent.kernel.current()
  const reloaded = given(
    await agent.kernel.reload(
      more(agent, ({ run }) =>
        run.end.tap((_outcome, ctx) => {
          seen.push(ctx.step)
        }),
      ),
    ),
  )
  await reloaded.retired
  const turn = told(sent.session, await reading)
  expect(turn.events.filter(({ type }) => type !== 'init').map(({ type }) => type)).toEqual([
    'text_delta',
    'tool_call_start',
    'tool_call_result',
    'text_delta',
    'text_delta',
    'reset',
    'text_delta',
    'done',
  ])
  expect(turn.text).toBe('first after w')
  expect(eventsOf(turn, 'done')).toMatchObject([{ reason: 'model_stop' }])
  expect(outcomes(await agent.journal(sent.session))).toEqual({ w: 'success' })
  expect(only(await agent.journal(sent.session), 'model_reply').map(({ text }) => text)).toEqual([
    'first ',
    'after w',
  ])
  expect(only(await agent.journal(sent.session), 'note'), 'a reload is no crash').toEqual([])
  await expect.poll(() => seen).toHaveLength(1) // the tap of the new generation
  expect(old.held).toBe(0)
})

test('a message of which nothing was written yet begins again in the new generation', async () => {
  const agent = await startTestAgent({
    drainMs: 20,
    graceMs: 500,
    script: ({ n }) =>
      n === 0 ? { text: 'half', until: new Promise(() => undefined) } : { text: 'whole' },
  })
  const sent = await agent.send('go')
  const reading = allFrames(sent.frames)
  await expect.poll(() => agent.model.asked.length).toBe(1)
  await given(await agent.kernel.reload(more(agent))).retired
  const turn = told(sent.session, await reading)
  expect(turn.events.map(({ type }) => type)).toEqual([
    'init',
    'text_delta',
    'reset',
    'text_delta',
    'done',
  ])
  expect(turn.text).toBe('whole')
  expect(await agent.kinds(sent.session)).toEqual(['user_message', 'model_reply', 'run_ended'])
})

test('a run that ends in time is waited for, on the wiring it began with', async () => {
  const hold = gate()
  const agent = await startTestAgent({ script: [{ text: 'whole', until: hold.opened }] })
  const sent = await agent.send('go')
  await expect.poll(() => agent.model.asked.length).toBe(1)
  const reloaded = given(await agent.kernel.reload(more(agent)))
  hold.open()
  expect(told(sent.session, await allFrames(sent.frames)).text).toBe('whole')
  await reloaded.retired
  expect(agent.model.asked).toHaveLength(1)
})

test('ten reloads under one run are no ten crashes', async () => {
  const agent = await startTestAgent({
    drainMs: 5,
    graceMs: 500,
    script: ({ n, results }) =>
      'w' in results
        ? n < 13
          ? { text: 'hm', until: new Promise(() => undefined) }
          : { text: 'at last' }
        : { calls: [{ name: 'write', id: 'w' }] },
    tools: [writes('write')],
  })
  const sent = await agent.send('go')
  const reading = allFrames(sent.frames)
  for (let n = 0; n < 12; n++) {
    await expect.poll(() => agent.model.asked.length, { interval: 1 }).toBe(n + 2)
    await given(await agent.kernel.reload(more(agent))).retired
  }
  const turn = told(sent.session, await reading)
  expect(turn.events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
  expect(turn.text).toBe('at last')
})

test('an effect in flight at the drain limit is not repeated; one with a key is', async () => {
  const keys: string[] = []
  const hang = (name: string) =>
    writes(
      name,
      async (_args, { key }) => {
        keys.push(`${name} ${key}`)
        if (keys.filter((one) => one.startsWith(name)).length === 1)
          await new Promise(() => undefined)
        return success(1)
      },
      { keyed: name === 'keyed' },
    )
  for (const name of ['plain', 'keyed']) {
    const agent = await startTestAgent({
      drainMs: 20,
      graceMs: 500,
      script: ({ results }) => ('f' in results ? { text: 'ok' } : { calls: [{ name, id: 'f' }] }),
      tools: [hang('plain'), hang('keyed')],
    })
    const sent = await agent.send('go')
    await expect.poll(() => keys.some((key) => key.startsWith(name))).toBe(true)
    await given(await agent.kernel.reload(more(agent))).retired
    await allFrames(sent.frames)
    expect(outcomes(await agent.journal(sent.session))).toEqual({
      f: name === 'keyed' ? 'success' : 'unknown',
    })
  }
  expect(keys.filter((key) => key.startsWith('plain'))).toHaveLength(1)
  expect(keys.filter((key) => key.startsWith('keyed'))).toHaveLength(2)
  expect(new Set(keys).size).toBe(2)
})

test('a run that waits for a person holds no generation, and goes on in the one there is', async () => {
  const agent = await startTestAgent({
    drainMs: 60_000,
    script: ({ results }) =>
      'q' in results ? { text: 'ok' } : { calls: [{ name: 'ask', id: 'q' }] },
    tools: [
      reads('ask', () => ({
        status: 'asks',
        question: { type: 'question', schema: { type: 'object' }, context: {} },
      })),
    ],
  })
  const sent = await agent.send('go')
  await framesOf(sent.frames)
  const old = agent.kernel.current()
  await expect.poll(() => old.held).toBe(0)
  await given(await agent.kernel.reload(more(agent))).retired
  given(await agent.answer(sent.session, [(await agent.asks(sent.session))[0], {}]))
  await expect.poll(() => agent.kinds(sent.session)).toContain('run_ended')
  expect(only(await agent.journal(sent.session), 'run_ended')).toMatchObject([
    { reason: 'model_stop' },
  ])
})

test('an answer that was on its way when its generation retired is not lost', async () => {
  const taken = gate()
  const judging = gate()
  const agent = await startTestAgent({
    drainMs: 20,
    graceMs: 1_000,
    script: ({ results }) =>
      'w' in results ? { text: 'ok' } : { calls: [{ name: 'write', id: 'w' }] },
    tools: [writes('write')],
    taps: ({ tool, state }) => {
      tool.guard.tap((verdict) => verdict.raise('confirm', 'sure?'))
      // The answer was taken and is about to be written down.
      state.leave.confirming.tap(async () => {
        taken.open()
        await judging.opened
        return undefined
      })
    },
  })
  const { session } = await agent.say('go')
  given(await agent.answer(session, [(await agent.asks(session))[0], { approved: true }]))
  await taken.opened
  const old = agent.kernel.current()
  const reloaded = given(await agent.kernel.reload(more(agent)))
  await expect.poll(() => old.signal.aborted).toBe(true)
  judging.open()
  await reloaded.retired
  await expect.poll(() => agent.kinds(session)).toContain('run_ended')
  expect(outcomes(await agent.journal(session))).toEqual({ w: 'success' })
  expect(only(await agent.journal(session), 'input_answered')).toHaveLength(1)
})

test('where the loop itself is exchanged, a run ends on the old one and what begins then is run by the new one', async () => {
  const hold = gate()
  const agent = await startTestAgent({
    script: ({ said }) =>
      said === 'old' ? { text: 'by the old', until: hold.opened } : { text: 'by the new' },
  })
  const sent = await agent.send('old')
  const reading = allFrames(sent.frames)
  await expect.poll(() => agent.model.asked.length).toBe(1)
  const reloaded = given(
    await agent.kernel.reload([
      ...agent.entries,
      replace('loop', loop, { pollMs: 20, drainMs: 200, maxTurns: 3 }),
    ]),
  )
  const next = reloaded.generation.scope
    .get(Agent)
    .as({ tenant: LOCAL_TENANT, principal: principalId('me') })
  const fresh = given(await next.send({ text: 'new' }))
  expect(told(fresh.session, await allFrames(fresh.frames)).text).toBe('by the new')
  hold.open()
  const turn = told(sent.session, await reading)
  expect(turn.text).toBe('by the old')
  expect(eventsOf(turn, 'done')).toMatchObject([{ reason: 'model_stop' }])
  expect(agent.model.asked).toHaveLength(2)
  await reloaded.retired
  const again = given(await next.send({ text: 'again', session: sent.session }))
  expect(told(sent.session, await allFrames(again.frames)).text).toBe('by the new')
})

test('and a run that does not end on the old one goes on in the new one', async () => {
  const agent = await startTestAgent({
    drainMs: 20,
    graceMs: 20,
    settings: { drainMs: 20 },
    script: ({ n, results }) =>
      'w' in results
        ? n === 1
          ? { text: 'hm', until: new Promise(() => undefined) }
          : { text: 'at last' }
        : { calls: [{ name: 'write', id: 'w' }] },
    tools: [writes('write')],
  })
  const sent = await agent.send('go')
  void allFrames(sent.frames)
  await expect.poll(() => agent.model.asked.length).toBe(2)
  const reloaded = given(
    await agent.kernel.reload([
      ...agent.entries,
      replace('loop', loop, { pollMs: 20, sweepMs: 20, drainMs: 200 }),
    ]),
  )
  const next = reloaded.generation.scope
    .get(Agent)
    .as({ tenant: LOCAL_TENANT, principal: principalId('me') })
  const frames = await allFrames(
    given(await next.follow(sent.session, { seq: 0, fencingToken: 0, attempt: 0, n: 0 })),
  )
  expect(told(sent.session, frames).text).toBe('at last')
  expect(outcomes(given(await next.session(sent.session)).entries)).toEqual({ w: 'success' })
})

test('no run begins while a resource changes hands: it waits for the next generation', async () => {
  const booting = gate()
  const desk = { open: 0 }
  const clerk = definePlugin({
    name: 'clerk',
    version: '1.0.0',
    reload: 'exclusive',
    config: z.object({ number: z.number() }),
    setup({ config: { number }, onBoot }) {
      onBoot(async () => {
        if (number > 1) await booting.opened
        desk.open = number
        return () => {
          desk.open = 0
        }
      })
    },
  })
  const agent = await startTestAgent({
    settings: { sweepMs: 20, marginMs: 0 },
    plugins: [use(clerk, { number: 1 })],
    script: ({ results }) =>
      'd' in results ? { text: 'done' } : { calls: [{ name: 'desk', id: 'd' }] },
    tools: [reads('desk', () => success(desk.open))],
  })
  const reloading = agent.kernel.reload([...agent.entries, use(clerk, { number: 2 })])
  await expect.poll(() => desk.open).toBe(0)
  const sent = await agent.send('which desk is open?')
  const reading = allFrames(sent.frames)
  await new Promise((resolve) => {
    setTimeout(resolve, 60)
  })
  expect(agent.model.asked).toEqual([])
  booting.open()
  given(await reloading)
  expect(told(sent.session, await reading).text).toBe('done')
  const journal = await agent.journal(sent.session)
  expect(only(journal, 'tool_outcome')).toMatchObject([{ output: 2 }])
  expect(only(journal, 'user_message')).toHaveLength(1)
})
