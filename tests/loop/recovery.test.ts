import {
  LOCAL_TENANT,
  instanceId,
  type RuntimeEvent,
  sessionId,
  type SessionId,
  type SessionStore,
  type ToolDefinition,
} from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import {
  gate,
  given,
  startTestAgent,
  type TestAgent,
  type TestAgentOptions,
} from './support/agent.ts'
import { only, outcomes } from './support/entries.ts'
import { allFrames, eventsOf, framesOf, told } from './support/frames.ts'
import { decorateStore, sharedStore, type StoreCall } from './support/store.ts'
import { reads, success, writes } from './support/tools.ts'

interface Death {
  readonly around: (inner: SessionStore) => SessionStore
  readonly died: Promise<void>
}

/**
 * A process that dies at one of its calls of the store: nothing it asks for is ever answered again.
 */
function dying(at: (call: StoreCall) => 'before' | 'after' | undefined): Death {
  let dead = false
  const { opened: died, open: die } = gate()
  const never = new Promise(() => undefined)
  return {
    died,
    around: (inner) =>
      decorateStore(inner, async (call, proceed) => {
        if (dead) return never
        const when = at(call)
        if (when === undefined) return proceed()
        dead = true
        if (when === 'after') await proceed()
        die()
        return never
      }),
  }
}

/** The n-th commit, and whether it was still written. */
const atCommit = (n: number, when: 'before' | 'after'): Death => {
  let commits = 0
  return dying(({ method }) => (method === 'commit' && ++commits === n ? when : undefined))
}

interface World {
  readonly store: SessionStore
  readonly ran: string[]
  readonly options: TestAgentOptions
}

/**
 * Everything at once: words, reads, an effect, an effect with a key, one that needs a person, an
 * answer.
 */
async function world(tools: readonly ToolDefinition[] = []): Promise<World> {
  const store = await sharedStore()
  const ran: string[] = []
  const effect = (name: string, more = {}): ToolDefinition =>
    writes(
      name,
      (_args, { key }) => {
        ran.push(`${name} ${key}`)
        return success(name)
      },
      more,
    )
  return {
    store,
    ran,
    options: {
      store,
      settings: { storeMs: 60, drainMs: 20 },
      script: ({ results }) => {
        if (['p', 'k', 'w'].some((id) => id in results)) return { text: 'done' }
        return {
          text: 'wait, ',
          calls: [
            { name: 'look', id: 'l' },
            { name: 'write', id: 'w' },
            { name: 'keyed', id: 'k' },
            { name: 'look', id: 'm' },
            { name: 'pay', id: 'p' },
          ],
        }
      },
      tools: [
        reads('look', () => {
          ran.push('look')
          return success(1)
        }),
        effect('write'),
        effect('keyed', { keyed: true }),
        effect('pay'),
        ...tools,
      ],
      taps: ({ tool }) =>
        tool.guard.tap((verdict, call) =>
          call.tool.name === 'pay' ? verdict.raise('confirm', 'sure?') : undefined,
        ),
    },
  }
}

/** Approves whatever is asked until the session is at rest. */
async function toTheEnd(agent: TestAgent, session: SessionId, messages = 1): Promise<void> {
  await expect
    .poll(
      async () => {
        const view = given(await agent.face.session(session))
        if (view.asks.length > 0)
          await agent.answer(
            session,
            ...view.asks.map(({ id }) => [id, { approved: true }] as const),
          )
        return only(view.entries, 'run_ended').length
      },
      { interval: 2 },
    )
    .toBe(messages)
}

describe('a server that dies at a commit', () => {
  const points = [1, 2, 3, 4, 5, 6, 7].flatMap(
    (n) =>
      [
        [n, 'before'],
        [n, 'after'],
      ] as const,
  )

  test.each(points)(
    'the %i., %s it is written: the next one answers, and no effect is repeated unasked',
    async (n, when) => {
      const { options, ran } = await world()
      const death = atCommit(n, when)
      const first = await startTestAgent({ ...options, around: death.around })
      const sent = await first.send('go')
      void (async () => {
        for await (const { event } of sent.frames)
          if (event.type === 'confirmation_required')
            void first.answer(sent.session, [event.id, { approved: true }])
      })()
      await death.died

      const next = await startTestAgent(options)
      await toTheEnd(next, sent.session)
      const entries = await next.journal(sent.session)
      expect(only(entries, 'user_message').map(({ text }) => text)).toEqual(['go'])
      expect(only(entries, 'run_ended')).toMatchObject([{ reason: 'model_stop' }])
      const statuses = outcomes(entries)
      expect(Object.keys(statuses).sort()).toEqual(['k', 'l', 'm', 'p', 'w'])
      for (const name of ['write', 'pay'])
        expect(
          ran.filter((one) => one.startsWith(name)).length,
          `${name} happened at most once`,
        ).toBeLessThanOrEqual(1)
      expect(
        new Set(ran.filter((one) => one.startsWith('keyed'))).size,
        'a repeat carries the key of the first try',
      ).toBe(1)
      // What nobody can know is said to be unknown, and nothing else is.
      for (const [name, call] of [
        ['write', 'w'],
        ['pay', 'p'],
      ] as const) {
        if (statuses[call] === 'success')
          expect(ran.filter((one) => one.startsWith(name))).toHaveLength(1)
        else expect(statuses[call]).toBe('unknown')
      }
      expect(statuses['k']).toBe('success')
      next.model.play([{ text: 'and on' }])
      expect((await next.say('next', sent.session)).text).toBe('and on')
    },
  )

  test('while an effect is in flight: without a key its outcome is unknown, with a key it is made again', async () => {
    const { options, store } = await world()
    const keys: string[] = []
    for (const [name, keyed] of [
      ['plain', false],
      ['idempotent', true],
    ] as const) {
      const flying = gate()
      const tool = (go: () => Promise<void>) =>
        writes(
          name,
          async (_args, { key }) => {
            keys.push(`${name} ${key}`)
            await go()
            return success(1)
          },
          { keyed },
        )
      const script: TestAgentOptions['script'] = ({ results }) =>
        'f' in results
          ? { text: `it is ${results['f']}` }
          : { calls: [{ name, id: 'f', args: { v: 'not\0clean' } }] }
      const first = await startTestAgent({
        ...options,
        script,
        around: dying(({ method }) => (method === 'renew' ? 'before' : undefined)).around,
        tools: [
          tool(async () => {
            flying.open()
            await new Promise(() => undefined)
          }),
        ],
      })
      const sent = await first.send('go')
      void allFrames(sent.frames)
      await flying.opened
      const next = await startTestAgent({
        ...options,
        store,
        script,
        tools: [tool(async () => undefined)],
      })
      await toTheEnd(next, sent.session)
      expect(outcomes(await next.journal(sent.session))).toEqual({
        f: keyed ? 'success' : 'unknown',
      })
      expect(only(await next.journal(sent.session), 'note')).toMatchObject([
        { code: 'recovered', text: 'The run was picked up again in "executing".' },
      ])
      expect(keys.filter((key) => key.startsWith(name))).toHaveLength(keyed ? 2 : 1)
      await next.close()
    }
    expect(new Set(keys).size).toBe(2)
  })
})

test('an effect in flight that may not be made again now may have happened all the same', async () => {
  const { options } = await world()
  const flying = gate()
  const script: TestAgentOptions['script'] = ({ results }) =>
    'f' in results ? { text: 'so' } : { calls: [{ name: 'keyed', id: 'f' }] }
  const first = await startTestAgent({
    ...options,
    script,
    around: dying(({ method }) => (method === 'renew' ? 'before' : undefined)).around,
    tools: [
      writes(
        'keyed',
        () => {
          flying.open()
          return new Promise(() => undefined)
        },
        { keyed: true },
      ),
    ],
  })
  const sent = await first.send('go')
  void allFrames(sent.frames)
  await flying.opened
  const next = await startTestAgent({
    ...options,
    script,
    taps: ({ tool }) => tool.guard.tap((verdict) => verdict.raise('deny', 'no more')),
  })
  await toTheEnd(next, sent.session)
  expect(outcomes(await next.journal(sent.session))).toEqual({ f: 'unknown' })
})

test('a question outlives the server: it is answered at the next one', async () => {
  const { options, ran } = await world()
  const first = await startTestAgent(options)
  const { session } = await first.say('go')
  const asks = await first.asks(session)
  await first.close()
  const next = await startTestAgent(options)
  expect(await next.asks(session)).toEqual(asks)
  given(await next.answer(session, [asks[0], { approved: true }]))
  await toTheEnd(next, session)
  expect(outcomes(await next.journal(session))).toMatchObject({ p: 'success' })
  expect(ran.filter((one) => one.startsWith('write'))).toHaveLength(1)
  expect(only(await next.journal(session), 'note')).toEqual([])
})

test('a message that waited behind the one that died is answered after it', async () => {
  const { options } = await world()
  const death = atCommit(2, 'before')
  const first = await startTestAgent({ ...options, around: death.around })
  const sent = await first.send('go')
  const later = await first.send('later', sent.session)
  void allFrames(sent.frames)
  void allFrames(later.frames)
  await death.died
  const next = await startTestAgent({
    ...options,
    script: ({ said, results }) =>
      said === 'later'
        ? { text: 're: later' }
        : 'p' in results
          ? { text: 'done' }
          : { calls: [{ name: 'pay', id: 'p' }] },
  })
  await toTheEnd(next, sent.session, 2)
  expect(only(await next.journal(sent.session), 'user_message').map(({ text }) => text)).toEqual([
    'go',
    'later',
  ])
})

test('a reader that was with the server that died goes on with the next one', async () => {
  const { options } = await world()
  const death = atCommit(1, 'before')
  const first = await startTestAgent({
    ...options,
    around: death.around,
    script: [{ text: ['half of ', 'it'] }],
  })
  const sent = await first.send('go')
  const seen = []
  while (seen.length < 3 && (await sent.frames.wait())) seen.push(...sent.frames.take())
  await death.died
  const next = await startTestAgent({ ...options, script: [{ text: ['the whole ', 'of it'] }] })
  const after = await allFrames(given(await next.face.follow(sent.session, seen.at(-1)?.id)))
  const whole = told(sent.session, [...seen, ...after])
  expect(whole.text).toBe('the whole of it')
  expect(eventsOf(whole, 'done')).toHaveLength(1)
})

test('a reader at one server is told what another one does with the run', async () => {
  const { options } = await world()
  const shared = {
    ...options,
    around: (inner: SessionStore) => decorateStore(inner, (_call, proceed) => proceed(), false),
  }
  const here = await startTestAgent(shared)
  const there = await startTestAgent(shared)
  const sent = await here.send('go')
  const reading = allFrames(sent.frames)
  await expect.poll(() => here.asks(sent.session)).toHaveLength(1)
  given(await there.answer(sent.session, [(await there.asks(sent.session))[0], { approved: true }]))
  const turn = told(sent.session, await reading)
  expect(turn.text).toBe('wait, done')
  expect(eventsOf(turn, 'tool_call_result').map(({ tool_id }) => tool_id)).toEqual([
    'l',
    'w',
    'k',
    'm',
    'p',
  ])
  expect(eventsOf(turn, 'done')).toMatchObject([{ reason: 'model_stop' }])
})

describe('a run that kills its server', () => {
  /**
   * Servers that die one after another, each right after its first commit, until one sets the
   * session aside.
   */
  async function fall(
    { options, store }: World,
    session: SessionId,
    watched: RuntimeEvent[],
  ): Promise<number> {
    const aside = async (): Promise<boolean> =>
      given(
        await store.sessionRecord({ tenant: LOCAL_TENANT, session }, AbortSignal.timeout(1_000)),
      )?.setAside !== undefined
    for (let deaths = 0; deaths < 20; deaths++) {
      const death = atCommit(1, 'after')
      const taps: TestAgentOptions['taps'] = (hooks) => {
        options.taps?.(hooks)
        hooks.event.runtime.tap((event) => {
          watched.push(event)
        })
      }
      const { agent } = await startTestAgent({ ...options, taps, around: death.around })
      const how = await Promise.race([
        death.died.then(() => 'died'),
        expect
          .poll(aside, { timeout: 10_000 })
          .toBe(true)
          .then(() => 'aside'),
      ])
      if (how !== 'aside') continue
      await expect.poll(() => agent.status().sessions).toMatchObject({ takenOver: 1, setAside: 1 })
      return deaths
    }
    return Infinity
  }

  async function setAside(
    when: 'before' | 'after',
  ): Promise<{ readonly all: World; readonly session: SessionId }> {
    const all = await world()
    const death = atCommit(1, when)
    const first = await startTestAgent({ ...all.options, around: death.around })
    const sent = await first.send('go')
    void allFrames(sent.frames)
    await death.died
    // Once in a crowd, once on trial.
    const watched: RuntimeEvent[] = []
    expect(await fall(all, sent.session, watched)).toBe(2)
    // Whoever watches the server is told to look.
    await expect
      .poll(() =>
        watched.some(
          (event) => event.type === 'session_updated' && event.sessionId === sent.session,
        ),
      )
      .toBe(true)
    return { all, session: sent.session }
  }

  test.each(['before', 'after'] as const)(
    'is set aside, %s its first commit: others go on, and a person tries it again',
    async (when) => {
      const {
        all: { options },
        session,
      } = await setAside(when)
      const last = await startTestAgent({ ...options, script: [{ text: 'fine' }] })
      const [troubled] = given(await last.face.troubled())
      expect(troubled).toMatchObject({ session })
      expect(JSON.parse(troubled?.setAside ?? '')).toMatchObject({
        code: 'RUN_SET_ASIDE',
        crashes: 3,
      })
      expect((await last.say('somebody else')).text).toBe('fine')
      // A message of its own waits behind it, and its reader is told why.
      const waiting = told(
        session,
        await framesOf(given(await last.face.send({ text: 'and?', session })).frames),
      )
      expect(waiting.events).toMatchObject([
        { type: 'init' },
        { type: 'error', code: 'RUN_SET_ASIDE' },
        { type: 'done', reason: 'error' },
      ])
      given(await last.face.retry(session))
      await toTheEnd(last, session, 2)
      expect(
        given(await last.face.troubled()).filter(({ setAside: why }) => why !== undefined),
      ).toEqual([])
      expect(await last.face.retry(session)).toMatchObject({
        ok: false,
        error: { code: 'NOT_SET_ASIDE' },
      })
    },
  )

  test.each(['before', 'after'] as const)(
    'is set aside, %s its first commit, and a person ends it',
    async (when) => {
      const {
        all: { options },
        session,
      } = await setAside(when)
      const last = await startTestAgent({ ...options, script: [{ text: 'fine' }] })
      expect(given(await last.face.cancel(session))).toEqual({ active: true })
      await toTheEnd(last, session)
      expect(only(await last.journal(session), 'run_ended')).toMatchObject([
        { reason: 'user_abort' },
      ])
      expect(only(await last.journal(session), 'user_message')).toHaveLength(1)
      expect((await last.say('next', session)).text).toBe('fine')
    },
  )

  test('a run that was picked up once and then waits for a person for a week, over ten deploys and as many crashes, goes on', async () => {
    const all = await world()
    let week = 0
    const options: TestAgentOptions = {
      ...all.options,
      clock: { now: () => Date.now() + week, monotonic: () => performance.now() },
    }
    const death = atCommit(2, 'before')
    const first = await startTestAgent({ ...options, around: death.around })
    let { session } = await first.send('go')
    await death.died
    for (let n = 0; n < 20; n++) {
      const agent = await startTestAgent(options)
      await expect.poll(() => agent.asks(session)).toHaveLength(1)
      week += 8.4 * 3_600_000
      if (n % 2 === 0) await agent.close()
    }
    const last = await startTestAgent(options)
    expect(only(await last.journal(session), 'note').map(({ code }) => code)).toEqual(['recovered'])
    await toTheEnd(last, session)
    expect(only(await last.journal(session), 'run_ended')).toMatchObject([{ reason: 'model_stop' }])
    session = (await last.say('and on')).session
    expect(given(await last.face.session(session)).row.setAside).toBeUndefined()
  })

  test('a run that waited for a week goes on where its server dies right after the answer', async () => {
    const all = await world()
    let week = 0
    const options: TestAgentOptions = {
      ...all.options,
      clock: { now: () => Date.now() + week, monotonic: () => performance.now() },
    }
    const death = atCommit(2, 'before')
    const first = await startTestAgent({ ...options, around: death.around })
    const { session } = await first.send('go')
    await death.died
    const waiting = await startTestAgent(options)
    await expect.poll(() => waiting.asks(session)).toHaveLength(1)
    week += 7 * 24 * 3_600_000
    await waiting.close()
    const again = atCommit(1, 'after')
    const dies = await startTestAgent({ ...options, around: again.around })
    const asks = await dies.asks(session)
    void dies.answer(session, ...asks.map((id) => [id, { approved: true }] as const))
    await again.died
    const last = await startTestAgent(options)
    await toTheEnd(last, session)
    expect(only(await last.journal(session), 'run_ended')).toMatchObject([{ reason: 'model_stop' }])
  })

  test('a run that is under way over graceful deploys, hours apart, goes on', async () => {
    const all = await world()
    let hours = 0
    const [open, begun] = [gate(), [gate(), gate(), gate(), gate(), gate()]]
    let calls = 0
    const options: TestAgentOptions = {
      ...all.options,
      clock: { now: () => Date.now() + hours, monotonic: () => performance.now() },
      tools: [
        writes(
          'keyed',
          async () => {
            begun[calls++]?.open()
            await open.opened
            return success(1)
          },
          { keyed: true },
        ),
      ],
      script: ({ results }) =>
        'k' in results ? { text: 'done' } : { calls: [{ name: 'keyed', id: 'k' }] },
    }
    const first = await startTestAgent(options)
    const { session } = await first.send('go')
    await begun[0]?.opened
    await first.close()
    for (let n = 1; n <= 3; n++) {
      hours += 2 * 3_600_000
      const agent = await startTestAgent(options)
      await begun[n]?.opened
      await agent.close()
    }
    hours += 2 * 3_600_000
    open.open()
    const last = await startTestAgent(options)
    await toTheEnd(last, session)
    expect(only(await last.journal(session), 'run_ended')).toMatchObject([{ reason: 'model_stop' }])
  })
})

test('work that nobody took is found: a cancel, an answer, a message', async () => {
  const { options, store } = await world()
  const session = sessionId('sess_left')
  const ref = { tenant: LOCAL_TENANT, session }
  const dead = { owner: instanceId('i_dead'), leaseMs: 1 }
  const signal = new AbortController().signal
  given(
    await store.accept(
      {
        ...ref,
        ...dead,
        key: 'k1',
        body: JSON.stringify({ kind: 'message', text: 'hello?', principal: 'me' }),
        control: false,
        create: { principal: 'me', title: 't', meta: '{}' },
      },
      signal,
    ),
  )
  const next = await startTestAgent({ ...options, script: [{ text: 'here' }] })
  await toTheEnd(next, session)
  expect(only(await next.journal(session), 'model_reply')).toMatchObject([{ text: 'here' }])
})

test('entries of a newer release are not guessed at: the session is left as it is until one comes that reads them', async () => {
  const { options } = await world()
  const first = await startTestAgent({ ...options, script: [{ text: 'one' }] })
  const { session } = await first.say('go')
  await first.close()
  let newer = true
  const around = (inner: SessionStore): SessionStore =>
    decorateStore(inner, async ({ method }, proceed) => {
      const said = (await proceed()) as {
        readonly ok: true
        readonly value: readonly { readonly body: string }[]
      }
      return method === 'entries' && newer
        ? {
            ok: true,
            value: said.value.map((entry) => ({
              ...entry,
              body: entry.body.replace('"v":1', '"v":99'),
            })),
          }
        : said
    })
  const old = await startTestAgent({
    ...options,
    around,
    settings: { ...options.settings, leaseMs: 100, marginMs: 0, sweepMs: 30 },
    script: [{ text: 'two' }],
  })
  const sent = await old.send('next', session)
  const turn = told(session, await allFrames(sent.frames))
  expect(turn.events).toMatchObject([
    { type: 'init' },
    { type: 'error', code: 'UNKNOWN_ENTRY_VERSION' },
  ])
  expect(old.model.asked).toHaveLength(0)
  newer = false
  await toTheEnd(old, session, 2)
  expect(only(await old.journal(session), 'user_message').map(({ text }) => text)).toEqual([
    'go',
    'next',
  ])
})

test('a run that goes on under other files says so', async () => {
  const { options } = await world()
  const first = await startTestAgent(options)
  const { session } = await first.say('go')
  const [ask] = await first.asks(session)
  await first.close()
  const next = await startTestAgent({ ...options, bundleHash: 'other' })
  given(await next.answer(session, [ask, { approved: true }]))
  await toTheEnd(next, session)
  expect(only(await next.journal(session), 'note')).toMatchObject([{ code: 'bundle_changed' }])
})
