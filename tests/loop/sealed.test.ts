import secretsEnv from '@amodal/plugin-secrets-env'
import {
  LOCAL_TENANT,
  use,
  type HookTaps,
  type JournalEntry,
  type Json,
  type JsonObject,
  type SessionId,
  type SessionStore,
  type StoredEntry,
} from '@amodal/sdk'
import { expect, test } from 'vitest'
import { given, startTestAgent, type TestAgent, type TestAgentOptions } from './support/agent.ts'
import { only, outcomes } from './support/entries.ts'
import { decorateStore, sharedStore } from './support/store.ts'
import { success, writes } from './support/tools.ts'

const KEY = 'a'.repeat(64)
const SECRET = '4711-0815'

/** Takes the number out of everything that is kept to be shown. */
const redacts = ({ journal }: HookTaps): void => {
  journal.write.tap((entry) =>
    JSON.stringify(entry).includes(SECRET)
      ? (JSON.parse(JSON.stringify(entry).replaceAll(SECRET, '[number]')) as JournalEntry)
      : undefined,
  ) // the same entry, other texts
}
const confirms = ({ tool }: HookTaps): void => {
  tool.guard.tap((verdict) => verdict.raise('confirm', 'sure?'))
}

interface Paying {
  readonly agent: TestAgent
  readonly store: SessionStore
  readonly paid: readonly Json[]
  /** Another server on the same store. */
  readonly start: (more?: TestAgentOptions) => Promise<TestAgent>
}

async function paying(options: TestAgentOptions = {}): Promise<Paying> {
  const store = await sharedStore()
  const paid: Json[] = []
  const start = (more: TestAgentOptions = {}): Promise<TestAgent> =>
    startTestAgent({
      store,
      script: ({ results }) =>
        'p' in results
          ? { text: 'ok' }
          : { calls: [{ name: 'pay', id: 'p', args: { account: SECRET } }] },
      tools: [
        writes(
          'pay',
          (args: JsonObject) => {
            paid.push(args['account'] ?? null)
            return success(1)
          },
          { keyed: true },
        ),
      ],
      plugins: [use(secretsEnv, { env: { AMODAL_MASTER_KEY: KEY } })],
      settings: { storeMs: 60, drainMs: 20 },
      ...options,
      ...more,
    })
  return { agent: await start(), store, paid, start }
}

const stored = async (store: SessionStore, session: SessionId): Promise<readonly StoredEntry[]> =>
  given(
    await store.entries(
      { tenant: LOCAL_TENANT, session },
      { after: 0 },
      AbortSignal.timeout(1_000),
    ),
  )

/** The one question is approved at another server, and the run goes on there to its end. */
async function approvedElsewhere(
  agent: TestAgent,
  session: SessionId,
  start: Paying['start'],
): Promise<TestAgent> {
  const [ask] = await agent.asks(session)
  await agent.close()
  const next = await start()
  given(await next.answer(session, [ask, { approved: true }]))
  await expect.poll(() => next.kinds(session)).toContain('run_ended')
  return next
}

test('what a person approves is sealed until it has run: what is shown is redacted, what runs is not', async () => {
  const { agent, store, paid, start } = await paying({
    taps: (hooks) => {
      redacts(hooks)
      confirms(hooks)
    },
  })
  const { session } = await agent.say('pay')
  const asked = (await stored(store, session)).find(({ body }) => body.includes('input_asked'))
  expect(asked?.sealed).toBeDefined()
  expect(JSON.stringify(await stored(store, session))).not.toContain(SECRET)
  expect(
    JSON.stringify(
      await store.sessionRecord({ tenant: LOCAL_TENANT, session }, AbortSignal.timeout(1_000)),
    ),
  ).not.toContain(SECRET)
  expect(JSON.stringify(given(await agent.face.session(session)))).not.toContain(SECRET)
  expect(
    (await agent.journal(session)).every((entry) => entry.sealed === undefined),
    'nobody is shown the seal',
  ).toBe(true)

  // Answered at another server, which has only the seal to go by.
  const next = await approvedElsewhere(agent, session, start)
  expect(paid).toEqual([SECRET])
  expect(outcomes(await next.journal(session))).toEqual({ p: 'success' })
  expect(
    (await stored(store, session)).every(({ sealed }) => sealed === undefined),
    'erased after the outcome',
  ).toBe(true)
  expect(JSON.stringify(await stored(store, session))).not.toContain(SECRET)
})

test('a declined call leaves nothing sealed behind', async () => {
  const { agent, store } = await paying({ taps: confirms })
  const { session } = await agent.say('pay')
  given(await agent.answer(session, [(await agent.asks(session))[0], { approved: false }]))
  await expect.poll(() => agent.kinds(session)).toContain('run_ended')
  expect((await stored(store, session)).filter(({ sealed }) => sealed !== undefined)).toEqual([])
})

test('an effect that is made again after a crash is made with the bytes of the first try', async () => {
  const { agent, store, paid, start } = await paying({ taps: redacts })
  await agent.close()
  // It dies once its intent is written.
  let dead = false
  const dying = await start({
    around: (inner) =>
      decorateStore(inner, async ({ method, args }, proceed) => {
        if (dead) return new Promise(() => undefined)
        const said = await proceed()
        if (method !== 'commit' || !JSON.stringify(args[0]).includes('tool_intent')) return said
        dead = true
        return new Promise(() => undefined)
      }),
  })
  const sent = await dying.send('pay')
  await expect.poll(() => dead).toBe(true)
  expect(
    (await stored(store, sent.session)).find(({ body }) => body.includes('tool_intent'))?.sealed,
  ).toBeDefined()
  const next = await start()
  await expect.poll(() => next.kinds(sent.session)).toContain('run_ended')
  expect(paid).toEqual([SECRET])
  expect(outcomes(await next.journal(sent.session))).toEqual({ p: 'success' })
  expect((await stored(store, sent.session)).filter(({ sealed }) => sealed !== undefined)).toEqual(
    [],
  )
})

test('under another key the seal does not open, and nothing runs in its place', async () => {
  const { agent, paid, start } = await paying({
    taps: (hooks) => {
      redacts(hooks)
      confirms(hooks)
    },
  })
  const { session } = await agent.say('pay')
  const [ask] = await agent.asks(session)
  await agent.close()
  const next = await start({
    plugins: [use(secretsEnv, { env: { AMODAL_MASTER_KEY: 'b'.repeat(64) } })],
  })
  given(await next.answer(session, [ask, { approved: true }]))
  await expect.poll(() => next.kinds(session)).toContain('run_ended')
  expect(paid).toEqual([])
  expect(only(await next.journal(session), 'tool_outcome')).toMatchObject([
    { status: 'error', code: 'TOOL_CHANGED' },
  ])
})

test('without a sealer the arguments come from the reply, and still have to be those that were approved', async () => {
  const { agent, paid, start } = await paying({ taps: confirms, plugins: [] })
  const { session } = await agent.say('pay')
  await approvedElsewhere(agent, session, start)
  expect(paid).toEqual([SECRET])
})
