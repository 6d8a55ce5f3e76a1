import {
  Kernel,
  Models,
  SessionStore,
  silentLogger,
  unwrap,
  use,
  explain,
  without,
  defineBundle,
  LOCAL_TENANT,
  principalId,
  sessionId,
  SessionFacts,
  StoreBackend,
  definePlugin,
  replace,
  type LanguageModel,
  type Logger,
  type WireEvent,
} from '@amodal/sdk'
import modelDemo from '@amodal/plugin-model-demo'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import storesMemory from '@amodal/plugin-stores-memory'
import type { McpManager } from '@amodal/plugin-connect-mcp'
import {
  endsWithToolResult,
  leavesNothing,
  reply,
  startModelServer,
  type ModelServer,
  type Script,
} from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createAgent,
  type AgentConfig,
  type AgentSession,
  type EmbeddedAgent,
} from '../src/index.ts'
import { folder } from './support.ts'

let model: ModelServer
beforeAll(async () => {
  model = await startModelServer({ script: reply.text('Hello.') })
})
afterAll(() => model.close())

const bundle = defineBundle({
  name: 'desk',
  userContext: 'You answer at the front desk.',
  stores: [
    {
      name: 'notes',
      entity: {
        name: 'Note',
        key: '{id}',
        schema: { id: { type: 'string' }, text: { type: 'string' } },
      },
    },
  ],
})
const named = (): AgentConfig => ({
  provider: 'openai-compatible',
  providerConfig: { baseUrl: model.url, model: 'scripted' },
  apiKey: 'sk-embedded-1234567890',
})
const scripted = (): AgentConfig => ({ ...named(), bundle })

async function agentOf(
  config: AgentConfig,
  script: Script = reply.text('Hello.'),
): Promise<EmbeddedAgent & AsyncDisposable> {
  model.play(script)
  const agent = await createAgent(config)
  return { ...agent, [Symbol.asyncDispose]: () => agent.shutdown() }
}
async function all(session: AgentSession, message: string): Promise<readonly WireEvent[]> {
  const events: WireEvent[] = []
  for await (const event of session.stream(message)) events.push(event)
  return events
}
const textOf = (events: readonly WireEvent[]): string =>
  events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('')
const refusal = (config: AgentConfig): Promise<string> =>
  createAgent(config).then(
    () => 'it was made',
    (cause: Error) => cause.message,
  )

test('a folder with a guard that cannot be honoured is refused, with its file', async () => {
  await using here = await folder({
    'amodal.json': { name: 'farm' },
    'hooks/dry/hook.json': { name: 'dry', points: ['preToolUse'] },
  })
  const message = await refusal({ ...named(), repoPath: here.dir })
  expect(message).toContain('the agent is not started without its guards')
  expect(message).toContain('hooks/dry:1  this guard has no index.mjs')
})

describe('a pinned plugin', () => {
  const closed = definePlugin({
    name: 'no-plans',
    version: '1.0.0',
    setup({ hooks }) {
      hooks.tool.guard.tap((verdict) => verdict.raise('deny', 'nothing is planned here'), {
        stage: 'guard',
      })
    },
  })
  const idle = definePlugin({
    name: 'no-plans',
    version: '1.0.0',
    setup() {
      /* taps nothing */
    },
  })

  test('is replaced by one that keeps its name with `as`, and taps what it has to', async () => {
    await using agent = await agentOf({
      ...scripted(),
      plugins: [replace('plan-mode', closed, {}, { as: 'plan-mode' })],
    })
    expect(textOf(await all(await agent.createSession(), 'Hi'))).toBe('Hello.')
  })

  test.each([
    [
      'under another name',
      replace('plan-mode', closed),
      'plan-mode is pinned and missing from the list',
    ],
    [
      'by one that does not guard',
      replace('plan-mode', idle, {}, { as: 'plan-mode' }),
      'plan-mode',
    ],
  ])('is not replaced %s', async (_, entry, message) => {
    const said = await refusal({ ...scripted(), plugins: [entry] })
    expect(said).toContain(message)
  })
})

// In JavaScript no compiler says so.
describe('a field that nothing reads is refused', () => {
  test.each([
    [
      { streamHook: {} },
      'BAD_CONFIG: createAgent: `streamHook` is not read: did you mean `streamHooks`?',
    ],
    [{ access: {} }, 'BAD_CONFIG: createAgent: `access` is not read: there are: repoPath, bundle'],
    [
      { streamHooks: { onUsage: () => undefined } },
      'BAD_CONFIG: createAgent, `streamHooks`: `onUsage` is not read: there are: onAuditLog',
    ],
  ])('of the agent: %j', async (field: object, message) => {
    expect(await refusal({ ...scripted(), ...field })).toContain(message)
  })

  test.each([
    [{ scopeId: 'acme' }, '`scopeId` is not read: name whose data it is in `tenant`'],
    [{ role: ['x'] }, '`role` is not read: did you mean `roles`?'],
  ])('of a person: %j', async (field: object, message) => {
    await using agent = await agentOf(scripted())
    await expect(agent.createSession({ userId: 'u', ...field })).rejects.toThrow(message)
    await expect(agent.resumeSession('sess_0123456789abcdef01234567', field)).rejects.toThrow(
      message,
    )
  })
})

describe('the model', () => {
  test('is a provider by its name: the key goes to it, and nowhere else', async () => {
    await using agent = await agentOf(scripted())
    const events = await all(await agent.createSession(), 'Hi')
    expect(textOf(events)).toBe('Hello.')
    expect(model.requests.at(-1)?.headers.authorization).toBe('Bearer sk-embedded-1234567890')
    expect(
      JSON.stringify([events, agent.getBundle(), await agent.getSystemPrompt()]),
    ).not.toContain('sk-embedded')
  })

  test('is a model of the AI SDK', async () => {
    await using agent = await agentOf({ bundle, provider: await demoModel() })
    expect(textOf(await all(await agent.createSession(), 'Hi'))).toContain('Demo model')
  })

  test('wins over the one that the files name', async () => {
    await using here = await folder({
      'amodal.json': { name: 'desk', models: { main: { provider: 'groq', model: 'llama' } } },
    })
    await using agent = await agentOf({ ...named(), repoPath: here.dir })
    expect(textOf(await all(await agent.createSession(), 'Hi'))).toBe('Hello.')
  })

  test('is the one of the files, or of the variables, where none is given', async () => {
    const env = { AMODAL_BASE_URL: model.url, AMODAL_MODEL: 'by-variable' }
    await using agent = await agentOf({ bundle, env })
    await all(await agent.createSession(), 'Hi')
    expect(model.requests.at(-1)?.body.model).toBe('by-variable')
  })

  test('by a name alone is the usual one of the provider', async () => {
    await using agent = await agentOf({
      bundle,
      provider: 'mistral',
      providerConfig: { baseUrl: model.url },
      apiKey: 'none',
    })
    await all(await agent.createSession(), 'Hi')
    expect(model.requests.at(-1)?.body.model).toBe('mistral-large-latest')
  })

  test.each<[AgentConfig, string]>([
    [
      { provider: 'gorq' },
      'NO_MODEL: [given-model] failed in hook bundle.load: there is no model provider "gorq"; did you mean "groq"? (there are: anthropic, openai, google, openai-compatible, groq, ',
    ],
    [
      { provider: 'openai-compatible', providerConfig: { baseUrl: 'http://127.0.0.1:1/v1' } },
      'the provider "openai-compatible" has no model of its own: name one in `providerConfig.model`',
    ],
    [{ provider: 'openai-compatible', providerConfig: { model: 'm' } }, "needs a 'baseUrl'"],
    [
      { provider: 'groq' },
      'ENV_NOT_SET: [given-model] failed in hook bundle.load: GROQ_API_KEY is not set, and apiKey of the model',
    ],
    [{ provider: 'groq' }, 'hand it in as `apiKey`, or the variables as `env: process.env`'],
  ])('%j is refused at once: %s', async (config, message) => {
    expect(await refusal({ bundle, ...config })).toContain(message)
  })

  test('of an older specification is refused', async () => {
    const { specificationVersion: _, ...rest } = await demoModel()
    const older = { ...rest, specificationVersion: 'v2' }
    expect(await refusal({ bundle, provider: older as unknown as LanguageModel })).toContain(
      'has specification v2, and v4 is needed',
    )
  })

  test('that is missing altogether is told with the first message', async () => {
    await using agent = await agentOf({ bundle })
    const events = await all(await agent.createSession(), 'Hi')
    expect(events.find(({ type }) => type === 'error')).toMatchObject({ code: 'NO_MODEL' })
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'error' })
  })
})

describe('a session', () => {
  test('has its id from the beginning, and keeps it', async () => {
    await using agent = await agentOf(scripted(), ({ messages }) =>
      reply.text(String(messages.filter(({ role }) => role === 'user').length)),
    )
    const session = await agent.createSession({ userId: 'ann' })
    const { id } = session
    expect(id).toMatch(/^sess_\w{16}$/)
    expect(await agent.resumeSession(id)).toBeNull() // nothing of it is kept yet
    const events = await all(session, 'one')
    expect(events[0]).toMatchObject({ type: 'init', session_id: id, sessionId: id })
    expect(textOf(await all(session, 'two'))).toBe('2')
    expect(session.id).toBe(id)
    expect(await agent.resumeSession(id, { userId: 'bob' })).toBeNull()
    const resumed = await agent.resumeSession(id, { userId: 'ann' })
    expect(resumed?.id).toBe(id)
    expect(textOf(await all(resumed ?? expect.fail('it is there'), 'three'))).toBe('3')
    const view = await session.session.session(id)
    expect(view.ok && view.value.entries.find(({ kind }) => kind === 'user_message')).toMatchObject(
      { principal: 'ann' },
    )
  })

  test("is its tenant's, and its user's where there is one", async () => {
    await using agent = await agentOf(scripted())
    const session = await agent.createSession({ userId: 'ann', tenant: 'acme', roles: ['support'] })
    await all(session, 'Hi')
    for (const user of [
      { userId: 'ann' },
      { userId: 'ann', tenant: 'beta' },
      { userId: 'bob', tenant: 'acme' },
    ])
      expect(await agent.resumeSession(session.id, user)).toBeNull()
    expect((await agent.resumeSession(session.id, { tenant: 'acme' }))?.id).toBe(session.id)
    const bob = await agent.createSession({ userId: 'bob', tenant: 'acme' })
    expect(await bob.session.sessions({ limit: 5 })).toMatchObject({
      ok: true,
      value: { rows: [] },
    })
    expect(await bob.session.session(session.id)).toMatchObject({
      ok: false,
      error: { code: 'SESSION_NOT_FOUND' },
    })
    const view = await session.session.session(session.id)
    expect(view.ok && view.value.entries[0]).toMatchObject({ principal: 'ann' })
  })

  test('of another agent, of no agent, or with no id is null', async () => {
    await using agent = await agentOf(scripted())
    await using other = await agentOf(scripted())
    const session = await other.createSession()
    await all(session, 'Hi')
    for (const id of [session.id, 'sess_unknown', '', 'no id at all'])
      expect(await agent.resumeSession(id)).toBeNull()
  })

  test('refuses an empty message with its code', async () => {
    await using agent = await agentOf(scripted())
    await expect(all(await agent.createSession(), '  ')).rejects.toThrow(
      'VALIDATION_ERROR: message: must not be empty',
    )
  })

  test('goes on where its loop is left; a signal cancels the turn', async () => {
    await using agent = await agentOf(
      scripted(),
      reply.text(
        Array.from({ length: 60 }, () => 'word '),
        { pace: 30 },
      ),
    )
    const left = await agent.createSession()
    for await (const event of left.stream('Hi')) if (event.type === 'text_delta') break
    await expect
      .poll(async () => {
        const view = await left.session.session(left.id)
        return view.ok && view.value.entries.at(-1)
      })
      .toMatchObject({ kind: 'run_ended', reason: 'model_stop' })

    const stop = new AbortController()
    const cancelled: WireEvent[] = []
    for await (const event of (await agent.createSession()).stream('Hi', { signal: stop.signal })) {
      cancelled.push(event)
      if (event.type === 'text_delta') stop.abort()
    }
    expect(cancelled.at(-1)).toMatchObject({ type: 'done', reason: 'user_abort' })
  })

  test('waits for an answer, which goes through its face', async () => {
    await using agent = await agentOf(scripted(), ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? reply.text(`You said ${JSON.stringify(messages.at(-1)?.content)}.`)
        : reply.toolCalls({ name: 'ask_user', arguments: { question: 'Which?' } }),
    )
    const session = await agent.createSession()
    const events: WireEvent[] = []
    for await (const event of session.stream('Hi')) {
      events.push(event)
      if (event.type === 'ask_user')
        expect(
          await session.session.answer(session.id, [
            {
              id: event.ask_id as Parameters<typeof session.session.answer>[1][number]['id'],
              answer: { response: 'this' },
            },
          ]),
        ).toMatchObject({ ok: true })
    }
    expect(textOf(events)).toBe('You said "this".')
  })
})

describe('what is handed in', () => {
  test('a bundle, or the folder, or nothing at all', async () => {
    await using here = await folder({
      'amodal.json': { name: 'from-folder', userContext: 'You are in a folder.' },
    })
    await using fromFolder = await agentOf({ repoPath: here.dir })
    expect(fromFolder.getBundle()?.manifest.name).toBe('from-folder')
    expect(await fromFolder.getSystemPrompt()).toContain('You are in a folder.')
    await using fromCode = await agentOf({ bundle })
    expect(await fromCode.getSystemPrompt()).toContain('You answer at the front desk.')
    await using empty = await agentOf({})
    expect(empty.getBundle()?.manifest.name).toBe('agent')
    expect(await refusal({ bundle, repoPath: here.dir })).toContain('SLOT_CONFLICT')
    expect(await refusal({ repoPath: '/nowhere' })).toMatch(/^NOT_FOUND: /)
  })

  test('a store backend', async () => {
    const kernel = unwrap(await Kernel.create([use(storesMemory)]), explain)
    const backend = kernel.scope
      .child('session', [
        [
          SessionFacts,
          { tenant: LOCAL_TENANT, session: sessionId('s'), principal: principalId('p') },
        ],
      ])
      .get(StoreBackend)
    await using agent = await agentOf(
      { ...scripted(), storeBackend: backend },
      reply.toolsThenText({ name: 'store_notes', arguments: { id: 'n1', text: 'hello' } }, 'Kept.'),
    )
    expect(textOf(await all(await agent.createSession(), 'Keep it'))).toBe('Kept.')
    const [store] = bundle.stores
    expect(store && (await backend.get(store, 'n1', AbortSignal.timeout(1_000)))).toMatchObject({
      value: { payload: { text: 'hello' } },
    })
    await kernel.close()
  })

  test('a session store, which outlives the agent', async () => {
    const kernel = unwrap(await Kernel.create([use(sessionsMemory)]), explain)
    const sessionStore = kernel.scope.get(SessionStore)
    const first = await agentOf({ ...scripted(), sessionStore })
    const session = await first.createSession()
    await all(session, 'one')
    await first.shutdown()
    await using second = await agentOf({ ...scripted(), sessionStore }, ({ messages }) =>
      reply.text(String(messages.length)),
    )
    const resumed = await second.resumeSession(session.id)
    // system, one, Hello., two
    expect(textOf(await all(resumed ?? expect.fail('it is there'), 'two'))).toBe('4')
    await kernel.close()
  })

  test('a log', async () => {
    const lines: string[] = []
    const kept: Logger = {
      ...silentLogger,
      info: (event) => {
        lines.push(event)
      },
      error: (event) => {
        lines.push(event)
      },
      child: () => kept,
    }
    await using agent = await agentOf({
      ...scripted(),
      logger: kept,
      plugins: [use((await import('@amodal/plugin-http')).default, { port: 0 })],
    })
    expect(agent.getBundle()).toBeDefined()
    expect(lines).toContain('http.listening')
  })

  test('no log that lacks a method: it is refused at once, with what it lacks', async () => {
    const { child: _child, ...childless } = silentLogger
    await expect(createAgent({ ...scripted(), logger: childless as Logger })).rejects.toMatchObject(
      {
        code: 'BAD_CONFIG',
        message: expect.stringMatching(/logger.*lacks child\(\).*give it one with/s) as string,
      },
    )
    await expect(
      createAgent({ ...scripted(), logger: { info: () => undefined } as unknown as Logger }),
    ).rejects.toThrow('lacks trace(), debug(), warn(), error(), child()')
  })

  test('listeners, which hear of use and of what is kept, and may fail', async () => {
    const used: unknown[] = []
    const kept: unknown[] = []
    const audited: unknown[] = []
    const turn = {
      session: expect.stringMatching(/^sess_/) as string,
      run: expect.stringMatching(/^run_/) as string,
      principal: 'ann',
    }
    await using agent = await agentOf(
      {
        ...scripted(),
        streamHooks: {
          onUsageReport: (report) => {
            used.push(report)
          },
          onAuditLog: ({ body }) => {
            audited.push((JSON.parse(body) as { readonly kind: string }).kind)
            throw new Error('no room')
          },
          onSessionPersist: (session) => {
            kept.push(session)
            return Promise.reject(new Error('no disk'))
          },
        },
      },
      ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? reply.text('Thanks.')
          : reply.toolCalls({ name: 'ask_user', arguments: { question: 'Which?' } }),
    )
    const session = await agent.createSession({ userId: 'ann' })
    for await (const event of session.stream('Hi')) {
      if (event.type !== 'ask_user') continue
      expect(kept).toEqual([{ ...turn, waits: true }])
      expect(used).toEqual([])
      await session.session.cancel(session.id)
    }
    expect(kept).toEqual([
      { ...turn, waits: true },
      { ...turn, waits: false },
    ])
    await expect
      .poll(() => audited)
      .toEqual(expect.arrayContaining(['session_start', 'run_start', 'approval_asked', 'run_end']))
    expect(used).toEqual([
      {
        ...turn,
        reason: 'user_abort',
        usage: expect.objectContaining({ input_tokens: expect.any(Number) as number }) as object,
      },
    ])
  })

  test('a time to live: the history goes, the session says so', async () => {
    await using agent = await agentOf({ ...scripted(), sessionTtlMs: 150 })
    const session = await agent.createSession()
    await all(session, 'Hi')
    await expect
      .poll(async () => {
        const view = await session.session.session(session.id)
        return view.ok && view.value.row.status
      })
      .toBe('expired')
    await expect(all(session, 'Again')).rejects.toThrow('SESSION_EXPIRED')
  })

  test('plugins and removals', async () => {
    await using agent = await agentOf({
      ...scripted(),
      plugins: [
        without('stores'),
        without('memory'),
        without('tools-present'),
        without('subagents'),
      ],
    })
    const compiled = await agent.agent.compiled()
    expect(compiled.ok && compiled.value.tools.tools).toEqual([])
  })

  test('the environment, and no other', async () => {
    process.env['AMODAL_TEST_ONLY'] = 'from the process'
    await using here = await folder({
      'amodal.json': {
        name: 'desk',
        models: {
          main: { provider: 'openai-compatible', model: 'm', baseUrl: 'env:AMODAL_TEST_ONLY' },
        },
      },
    })
    expect(await refusal({ repoPath: here.dir })).toContain('AMODAL_TEST_ONLY is not set')
    delete process.env['AMODAL_TEST_ONLY']
    await using agent = await agentOf({ repoPath: here.dir, env: { AMODAL_TEST_ONLY: model.url } })
    expect(textOf(await all(await agent.createSession(), 'Hi'))).toBe('Hello.')
  })
})

describe('several agents in one process', () => {
  test('know nothing of each other', async () => {
    const second = await startModelServer({
      script: reply.toolsThenText(
        { name: 'query_store', arguments: { store: 'notes' } },
        'Second.',
      ),
    })
    await using one = await agentOf(
      scripted(),
      reply.toolsThenText({ name: 'store_notes', arguments: { id: 'n1', text: 'mine' } }, 'First.'),
    )
    await using two = await agentOf({
      ...scripted(),
      providerConfig: { baseUrl: second.url, model: 'other' },
      apiKey: 'sk-other-0987654321',
    })
    model.play(
      reply.toolsThenText({ name: 'store_notes', arguments: { id: 'n1', text: 'mine' } }, 'First.'),
    )
    const [mine, yours] = [await one.createSession(), await two.createSession()]
    expect(textOf(await all(mine, 'Hi'))).toBe('First.')
    const events = await all(yours, 'Hi')
    expect(textOf(events)).toBe('Second.')
    expect(events.find(({ type }) => type === 'tool_call_result')).toMatchObject({
      result: expect.stringContaining('"total":0') as string,
    })
    expect(second.requests.at(-1)?.headers.authorization).toBe('Bearer sk-other-0987654321')
    expect(model.requests.at(-1)?.headers.authorization).toBe('Bearer sk-embedded-1234567890')
    const listed = await yours.session.sessions({ limit: 10 })
    expect(listed.ok && listed.value.rows.map(({ session }) => session)).toEqual([yours.id])
    await one.shutdown()
    await expect(all(mine, 'Still there?')).rejects.toThrow('KERNEL_CLOSED')
    expect(textOf(await all(yours, 'Still there?'))).toBe('Second.')
    await second.close()
  })

  test('leave nothing behind', async () => {
    await leavesNothing(async () => {
      const agents = await Promise.all(
        [1, 2, 3].map(() => createAgent({ bundle, sessionTtlMs: 60_000 })),
      )
      await Promise.all(agents.map(async (agent) => all(await agent.createSession(), 'Hi')))
      await Promise.all(agents.map((agent) => agent.shutdown()))
      await Promise.all(agents.map((agent) => agent.shutdown())) // twice is once
    })
  })
})

describe('an MCP manager', () => {
  const calls: unknown[] = []
  const manager: McpManager = {
    getDiscoveredTools: () => [
      {
        name: 'tickets__close',
        serverName: 'tickets',
        originalName: 'close',
        description: null,
        parameters: { type: 'object', required: null, properties: { id: { type: 'string' } } },
      },
    ],
    callTool: async (name, args) => {
      calls.push([name, args])
      return {
        content: [{ type: 'text', text: 'closed, by sk-embedded-1234567890' }, { type: 'image' }],
        structuredContent: null,
        isError: null,
      }
    },
  }

  test('gives the agent the tools of its servers, which ask a person', async () => {
    await using agent = await agentOf({ ...scripted(), mcpManager: manager }, (request) =>
      endsWithToolResult(request)
        ? reply.text('Done.')
        : reply.toolCalls({ name: 'tickets__close', arguments: { id: 'T-1' } }),
    )
    const session = await agent.createSession()
    const events: WireEvent[] = []
    for await (const event of session.stream('Close T-1')) {
      events.push(event)
      if (event.type !== 'confirmation_required') continue
      expect(event).toMatchObject({
        connection_name: 'tickets',
        method: 'CALL',
        endpoint: 'close',
        params: { id: 'T-1' },
      })
      expect(calls).toEqual([])
      await expect(session.answer(event, { approved: 'perhaps' })).rejects.toMatchObject({
        code: 'ANSWER_INVALID',
      })
      await session.answer(event, { approved: true })
      await expect(session.answer(event, { approved: true })).rejects.toMatchObject({
        code: expect.stringMatching(/^ASK_(?:NOT_FOUND|SETTLED)$/) as string,
      })
    }
    expect(calls).toEqual([['tickets__close', { id: 'T-1' }]])
    expect(events.find(({ type }) => type === 'tool_call_result')).toMatchObject({
      status: 'success',
      result: expect.stringMatching(
        /^closed, by \[MASKED\]\n\[left out, since it cannot be read: content\[1\]\.data: /,
      ) as string,
    })
  })

  test('that is none is refused, with what it lacks', async () => {
    expect(
      await refusal({
        ...scripted(),
        mcpManager: { getDiscoveredTools: () => [] } as unknown as McpManager,
      }),
    ).toMatch(/mcpManager.*callTool\(\)/)
  })
})

async function demoModel(): Promise<LanguageModel> {
  const kernel = unwrap(await Kernel.create([use(modelDemo)]), explain)
  const made = kernel
    .current()
    .registry(Models)
    .get('demo')
    ?.model({ provider: 'demo', model: 'words' })
  await kernel.close()
  if (!made?.ok) throw new Error('the demo model could not be made')
  return made.value
}
