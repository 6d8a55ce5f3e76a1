import {
  LOCAL_TENANT,
  instanceId,
  sessionId,
  sleep,
  type Clock,
  type Commit,
  type SessionStore,
} from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { gate, given, startTestAgent } from './support/agent.ts'
import { only, outcomes } from './support/entries.ts'
import { allFrames, eventsOf, framesOf, leftWith, told } from './support/frames.ts'
import {
  connectionBroke,
  dataRefused,
  decorateStore,
  sharedStore,
  type StoreCall,
} from './support/store.ts'
import { reads, success, writes } from './support/tools.ts'

const signal = new AbortController().signal

/** An agent whose turn has a read, an effect and an answer, on a store with a fault. */
async function faulty(
  around: (call: StoreCall, proceed: () => Promise<unknown>) => Promise<unknown>,
  settings = {},
  clock?: Clock,
) {
  const ran: string[] = []
  const agent = await startTestAgent({
    around: (inner) => decorateStore(inner, around),
    settings,
    ...(clock ? { clock } : {}),
    script: ({ results }) =>
      'w' in results || 'w_2' in results
        ? { text: 'done' }
        : {
            text: 'wait, ',
            calls: [
              { name: 'look', id: 'l' },
              { name: 'write', id: 'w' },
            ],
          },
    tools: [
      reads('look'),
      writes('write', (_args, { key }) => {
        ran.push(key)
        return success(1)
      }),
    ],
  })
  return { agent, ran }
}

const WHOLE = [
  'user_message',
  'model_reply',
  'tool_outcome',
  'tool_intent',
  'tool_outcome',
  'model_reply',
  'run_ended',
]

describe('a commit whose answer is lost', () => {
  test.each([1, 2, 3])(
    'although it was executed (the %i.): it is repeated with its key, and nothing is double',
    async (which) => {
      let commits = 0
      const keys: string[] = []
      const { agent, ran } = await faulty(async ({ method, args }, proceed) => {
        if (method !== 'commit') return proceed()
        keys.push((args[0] as Commit).key)
        const said = await proceed()
        return ++commits === which ? connectionBroke : said
      })
      const turn = await agent.say('go')
      expect(turn.text).toBe('wait, done')
      expect(eventsOf(turn, 'done')).toHaveLength(1)
      expect(await agent.kinds(turn.session)).toEqual(WHOLE)
      expect(ran).toHaveLength(1)
      expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toHaveLength(1)
    },
  )

  test.each(['answers with an error', 'throws', 'hangs'])(
    'because the connection %s for a while: it is repeated until it is known',
    async (how) => {
      let failures = 0
      const { agent } = await faulty(
        async ({ method }, proceed) => {
          if (method !== 'commit' || failures++ > 3) return proceed()
          if (how === 'throws') throw new Error('socket hang up')
          return how === 'hangs' ? new Promise(() => undefined) : connectionBroke
        },
        { storeMs: 40 },
      )
      const turn = await agent.say('go')
      expect(eventsOf(turn, 'done')).toMatchObject([{ reason: 'model_stop' }])
      expect(await agent.kinds(turn.session)).toEqual(WHOLE)
    },
  )
})

describe('a commit that stays in doubt past the lease', () => {
  test.each([
    ['was executed', true],
    ['was not executed', false],
  ] as const)(
    'and %s: an error, no `done`, no further effect; whoever resumes sees what became true',
    async (_, executed) => {
      let broken = false
      const { agent, ran } = await faulty(
        async ({ method, args }, proceed) => {
          if (!broken || (method !== 'commit' && method !== 'renew' && method !== 'takeover'))
            return proceed()
          const outcome = method === 'commit' && JSON.stringify(args[0]).includes('tool_outcome')
          if (outcome && executed) await proceed()
          return connectionBroke
        },
        { leaseMs: 150, marginMs: 10, sweepMs: 30 },
      )
      agent.model.play(({ n, results }) => {
        if (n === 0) broken = true
        return Object.keys(results).length > 0
          ? { text: 'done' }
          : { text: 'wait, ', calls: [{ name: 'look', id: 'l' }] }
      })
      const sent = await agent.send('go')
      const turn = told(sent.session, await allFrames(sent.frames))
      expect(eventsOf(turn, 'done')).toEqual([])
      expect(turn.events.at(-1)).toMatchObject({ type: 'error', code: 'COMMIT_IN_DOUBT' })
      expect(ran).toEqual([])

      broken = false
      const after = told(
        sent.session,
        await allFrames(given(await agent.face.follow(sent.session, turn.frames.at(-1)?.id))),
      )
      expect(eventsOf(after, 'done')).toMatchObject([{ reason: 'model_stop' }])
      expect(outcomes(await agent.journal(sent.session))).toEqual({ l: 'success' })
      expect(only(await agent.journal(sent.session), 'user_message')).toHaveLength(1)
    },
  )
})

describe('an answer that cannot be read because the connection breaks', () => {
  test.each([
    ['for a moment', 300, ['inbox']],
    ['for longer than the lease', 1_500, ['inbox', 'renew', 'takeover']],
  ] as const)(
    '%s: the run goes on with it as soon as it can, and never ends because of that',
    async (_, ms, broken) => {
      let brokenUntil = 0
      const ran: string[] = []
      const agent = await startTestAgent({
        settings: { leaseMs: 600, marginMs: 10, sweepMs: 30, storeMs: 50 },
        around: (inner) =>
          decorateStore(inner, ({ method }, proceed) => {
            const isBroken = performance.now() < brokenUntil && broken.some((one) => one === method)
            return isBroken ? Promise.resolve(connectionBroke) : proceed()
          }),
        script: ({ results }) =>
          Object.keys(results).length > 0
            ? { text: 'done' }
            : {
                calls: [
                  { name: 'pay', id: 'p' },
                  { name: 'pay', id: 'q' },
                ],
              },
        tools: [
          writes('pay', (_args, { key }) => {
            ran.push(key)
            return success(1)
          }),
        ],
        taps: ({ tool }) => tool.guard.tap((verdict) => verdict.raise('confirm', 'sure?')),
      })
      const { session } = await agent.say('go')
      const [first, second] = await agent.asks(session)
      brokenUntil = performance.now() + ms
      given(await agent.answer(session, [first, { approved: true }]))
      await expect.poll(() => agent.asks(session)).toEqual([second])
      given(await agent.answer(session, [second, { approved: true }]))
      await expect
        .poll(async () => only(await agent.journal(session), 'run_ended'))
        .toMatchObject([{ reason: 'model_stop' }])
      expect(ran).toHaveLength(2)
    },
  )
})

test('a message that is begun anew, since nothing of its first run was kept: its reader hears all of the second one', async () => {
  // The first owner keeps nothing; the second one begins anew, and never hears that its last commit
  // was made; the third goes on from that.
  const kept = new Map<number, number>()
  const { agent } = await faulty(
    async ({ method, args }, proceed) => {
      if (method !== 'commit') return proceed()
      const { fencingToken: fence } = args[0] as Commit
      const before = kept.get(fence) ?? 0
      if (fence === 1) return connectionBroke
      if (fence === 2 && before === 0) await sleep(240) // the reader listens to the second one
      const said = await proceed()
      kept.set(fence, before + 1)
      return fence === 2 && before > 0 ? connectionBroke : said
    },
    { leaseMs: 600, stalenessMs: 600, marginMs: 10, sweepMs: 60 },
  )
  const turn = await agent.say('go')
  expect(eventsOf(turn, 'done')).toMatchObject([{ reason: 'model_stop' }])
  expect([...kept.keys()]).toEqual([2, 3])
  expect(outcomes(await agent.journal(turn.session))).toEqual({ l: 'success', w: 'unknown' })
  expect(turn.text).toBe('wait, done')
  const left = leftWith(turn.frames).map(({ event }) => event.type)
  expect(left.filter((type) => type === 'tool_call_start')).toHaveLength(2)
  expect(left.filter((type) => type === 'tool_call_result')).toHaveLength(2)
})

describe('data that the store refuses', () => {
  const refusing = (poison: string) =>
    faulty(async ({ method, args }, proceed) => {
      const bodies = method === 'commit' ? (args[0] as Commit).entries.map(({ body }) => body) : []
      return bodies.some((body) => body.includes(poison)) ? dataRefused : proceed()
    })

  test('in what the model says: the run ends with an error, the message is kept, the next turn works', async () => {
    const { agent } = await refusing('poison')
    agent.model.play([{ text: 'poison' }, { text: 'fine' }])
    const turn = await agent.say('go')
    expect(turn.events.slice(-2)).toMatchObject([
      { type: 'error', code: 'STORE_FAILED' },
      { type: 'done', reason: 'error' },
    ])
    expect(await agent.kinds(turn.session)).toEqual(['user_message', 'run_ended'])
    expect((await agent.say('next', turn.session)).text).toBe('fine')
    expect(
      agent.model.asked[1]?.prompt.map(({ role }) => role),
      'the refused reply is nowhere',
    ).toEqual(['user', 'user'])
  })

  test('in what the model says, while another message waits: that one is answered, and knows nothing of the refused reply', async () => {
    const hold = gate()
    const { agent } = await refusing('poison')
    agent.model.play([{ text: 'poison', until: hold.opened }, { text: 'fine' }])
    const sent = await agent.send('go')
    const next = agent.say('next', sent.session)
    await expect.poll(() => agent.model.asked.length).toBe(1)
    hold.open()
    expect((await next).text).toBe('fine')
    expect(agent.model.asked[1]?.prompt.map(({ role }) => role)).toEqual(['user', 'user'])
  })

  test('in what a tool gives: the effect has an outcome that says so, and is not repeated', async () => {
    const { agent, ran } = await refusing('"output":1}')
    const turn = await agent.say('go')
    expect(turn.events.at(-1)).toMatchObject({ type: 'done', reason: 'error' })
    expect(outcomes(await agent.journal(turn.session))).toEqual({ l: 'success', w: 'unknown' })
    expect(ran).toHaveLength(1)
    agent.model.play([{ text: 'fine' }])
    expect((await agent.say('next', turn.session)).text).toBe('fine')
  })

  test('in the message itself: it has an end, and the next one works', async () => {
    const { agent } = await refusing('poison')
    agent.model.play([{ text: 'fine' }])
    const turn = await agent.say('poison')
    expect(turn.events.slice(-2)).toMatchObject([
      { type: 'error', code: 'STORE_FAILED' },
      { type: 'done', reason: 'error' },
    ])
    expect(await agent.kinds(turn.session)).toEqual(['run_ended'])
    expect((await agent.say('next', turn.session)).text).toBe('fine')
  })
})

describe('an owner that lost the session to another', () => {
  test('writes nothing and does nothing any more; the other one goes on', async () => {
    const store = await sharedStore()
    const alone = (inner: SessionStore) =>
      decorateStore(inner, (_call, proceed) => proceed(), false)
    const hold = gate()
    const ran: string[] = []
    const options = {
      store,
      around: alone,
      settings: { marginMs: 0, sweepMs: 20 },
      tools: [
        reads('look', async () => {
          await hold.opened
          return success(1)
        }),
        writes('write', () => {
          ran.push('write')
          return success(1)
        }),
      ],
    }
    const stalled = await startTestAgent({
      ...options,
      script: [
        {
          calls: [
            { name: 'look', id: 'l' },
            { name: 'write', id: 'w' },
          ],
        },
        { text: 'never said' },
      ],
      settings: { sweepMs: 3_600_000, leaseMs: 100_000 },
    })
    const sent = await stalled.send('go')
    const reading = allFrames(sent.frames)
    await expect.poll(() => stalled.model.asked.length).toBe(1)
    // Its lease runs out unnoticed.
    given(
      await store.renew(
        owner(stalled),
        [{ tenant: LOCAL_TENANT, session: sent.session, fencingToken: 1 }],
        -1,
        signal,
      ),
    )
    const other = await startTestAgent({ ...options, script: [{ text: 'said by the other' }] })
    await expect.poll(() => other.kinds(sent.session)).toContain('run_ended')
    hold.open()
    const turn = told(sent.session, await reading)
    expect(turn.text).toBe('said by the other')
    expect(eventsOf(turn, 'done')).toHaveLength(1)
    expect(ran).toEqual([])
    expect(only(await other.journal(sent.session), 'model_reply').map(({ text }) => text)).toEqual([
      'said by the other',
    ])
  })

  test('for a moment makes its calls when it has the session again: it never says that nobody knows', async () => {
    let slept = 0
    const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now() + slept }
    const leaseMs = 2_000
    const ran: string[] = []
    const agent = await startTestAgent({
      clock,
      settings: { leaseMs, marginMs: 10, sweepMs: 20 },
      around: (inner) =>
        decorateStore(inner, async ({ method, args }, proceed) => {
          const said = await proceed()
          // The process stood still right after its intent was kept, for nearly as long as its
          // lease.
          if (method === 'commit' && slept === 0 && JSON.stringify(args[0]).includes('tool_intent'))
            slept = leaseMs - 150
          return said
        }),
      script: ({ results }) =>
        'k' in results ? { text: 'done' } : { calls: [{ name: 'keyed', id: 'k' }] },
      tools: [
        writes(
          'keyed',
          (_args, { key }) => {
            ran.push(key)
            return success(1)
          },
          { keyed: true },
        ),
      ],
    })
    const { session } = await agent.say('go')
    await expect.poll(() => agent.kinds(session)).toContain('run_ended')
    expect(outcomes(await agent.journal(session))).toEqual({ k: 'success' })
    expect(ran).toHaveLength(1)
  })

  test.each([
    [
      'starts its effect once it is known that the session is still its own',
      true,
      { l: 'success', w: 'success' },
      1,
    ],
    ['starts no effect, where that is not to be known', false, { l: 'success', w: 'unknown' }, 0],
  ] as const)('and wakes from a long sleep %s', async (_, renewed, came, times) => {
    let slept = 0
    const clock: Clock = {
      now: () => Date.now() + slept,
      monotonic: () => performance.now() + slept,
    }
    const { agent, ran } = await faulty(
      async ({ method, args }, proceed) => {
        if (method === 'renew' && slept > 0 && !renewed) return connectionBroke
        const said = await proceed()
        // The process is stopped right after its intent was kept, for longer than its lease.
        if (method === 'commit' && JSON.stringify(args[0]).includes('tool_intent')) slept = 60_000
        return said
      },
      { leaseMs: 600, marginMs: 10, sweepMs: 30 },
      clock,
    )
    agent.model.play(({ results }) =>
      Object.keys(results).length > 0
        ? { text: 'done' }
        : {
            calls: [
              { name: 'look', id: 'l' },
              { name: 'write', id: 'w' },
            ],
          },
    )
    const { session } = await agent.say('go')
    await expect.poll(() => agent.kinds(session)).toContain('run_ended')
    expect(outcomes(await agent.journal(session))).toEqual(came)
    expect(ran).toHaveLength(times)
  })

  test('that makes no progress gives up, and its run goes on elsewhere', async () => {
    let held = 0
    const { agent } = await faulty(
      async ({ method }, proceed) => {
        if (method !== 'commit' || held++ > 0) return proceed()
        return new Promise(() => undefined) // hangs once; the deadline of a statement is long
      },
      { leaseMs: 150, marginMs: 0, stalenessMs: 60, sweepMs: 30, storeMs: 2_000 },
    )
    const sent = await agent.send('go')
    const turn = told(sent.session, await allFrames(sent.frames))
    expect(eventsOf(turn, 'done')).toMatchObject([{ reason: 'model_stop' }])
    expect(turn.text).toBe('wait, done')
  })
})

test('an accept whose answer is lost is answered all the same: it was kept', async () => {
  let lost = false
  const { agent } = await faulty(
    async ({ method }, proceed) => {
      const said = await proceed()
      if (method !== 'accept' || lost) return said
      lost = true
      return connectionBroke
    },
    { leaseMs: 100, marginMs: 0, sweepMs: 30 },
  )
  agent.model.play(({ said }) => ({ text: `re: ${said}` }))
  expect(
    await agent.face.send({ text: 'go', session: sessionId('sess_mine'), create: true, key: 'k' }),
  ).toMatchObject({ ok: false, error: { code: 'STORE_FAILED' } })
  const again = await agent.send('go', sessionId('sess_mine'), { key: 'k' })
  expect(again.repeated).toBe(true)
  expect(told(again.session, await framesOf(again.frames)).text).toBe('re: go')
  expect(agent.model.asked).toHaveLength(1)
})

/** Not part of the public door; who takes a lease away has to name its owner. */
const owner = ({ agent }: { readonly agent: object }) =>
  instanceId((agent as { readonly owner: string }).owner)
