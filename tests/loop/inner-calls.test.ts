import secretsEnv from '@amodal/plugin-secrets-env'
import {
  type Action,
  ApprovalPolicy,
  askId,
  definePlugin,
  err,
  failure,
  type HookTaps,
  LOCAL_TENANT,
  ok,
  principalId,
  type PreparedCall,
  type ToolDefinition,
  use,
  type RedactedValue,
} from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { given, startTestAgent, type TestAgent, type TestAgentOptions } from './support/agent.ts'
import { outcomes } from './support/entries.ts'
import { eventsOf } from './support/frames.ts'
import { sharedStore } from './support/store.ts'
import { reads, success, writes } from './support/tools.ts'

const calls = (name: string, args: object = {}): NonNullable<TestAgentOptions['script']> => [
  { calls: [{ name, id: 'c', args }] },
  { text: 'so' },
]
const confirms =
  (...names: readonly string[]) =>
  ({ tool }: HookTaps): void => {
    tool.guard.tap(
      (verdict, call) =>
        names.includes(call.tool.name)
          ? verdict.raise('confirm', `${call.tool.name} needs a person`)
          : undefined,
      { stage: 'guard' },
    )
  }
/** A tool that calls `pay` and tells what came of it. */
const pays = (more: Partial<ToolDefinition> = {}): ToolDefinition =>
  writes(
    'shop',
    async (_args, ctx) => {
      const paid = await ctx.call({ name: 'pay', args: { v: 5 } })
      return success(
        paid.status === 'success'
          ? { paid: paid.output }
          : { status: paid.status, code: paid.status === 'error' ? (paid.code ?? '') : '' },
      )
    },
    more,
  )
const result = (agent: TestAgent, n = 1): string | undefined => agent.model.asked[n]?.results['c']

async function approve(agent: TestAgent, session: Parameters<TestAgent['asks']>[0]): Promise<void> {
  const [ask] = await agent.asks(session)
  given(await agent.answer(session, [ask, { approved: true }]))
  await expect.poll(() => agent.kinds(session)).toContain('run_ended')
}

describe('a call that a tool makes', () => {
  test('passes every guard and every cleaning that a call of the model passes', async () => {
    const heard: string[] = []
    const cleaned: string[] = []
    const agent = await startTestAgent({
      script: calls('shop'),
      tools: [pays(), writes('pay', ({ v = 0 }) => success({ v, card: '4111' }))],
      taps: ({ tool }) => {
        tool.call.tap((call) =>
          call.tool.name === 'pay' ? { ...call, args: { v: 6 } } : undefined,
        )
        tool.guard.tap((_verdict, { tool: { name }, args, outer }) => {
          heard.push(`${name} ${JSON.stringify(args)} by ${outer?.tool.name ?? 'the model'}`)
          return undefined
        })
        tool.result.tap((kept, call) => {
          cleaned.push(call.tool.name)
          return call.tool.name === 'pay' && kept.status === 'success'
            ? { ...kept, output: { v: 6 } }
            : undefined
        })
      },
    })
    await agent.say('go')
    expect(heard).toEqual(['shop {} by the model', 'pay {"v":6} by shop'])
    expect(cleaned).toEqual(['pay', 'shop'])
    expect(result(agent)).toBe('{"paid":{"v":6}}')
  })

  test('that needs an approval which its caller does not have is refused, and nothing waits', async () => {
    let paid = 0
    const agent = await startTestAgent({
      script: calls('shop'),
      tools: [
        pays(),
        writes('pay', () => {
          paid++
          return success(1)
        }),
      ],
      taps: confirms('pay'),
    })
    const turn = await agent.say('go')
    expect(result(agent)).toBe('{"status":"error","code":"APPROVAL_REQUIRED"}')
    expect(paid).toBe(0)
    expect(eventsOf(turn, 'confirmation_required')).toEqual([])
  })

  test('may do what its caller was approved for, and no more than that', async () => {
    const ran: string[] = []
    const wants =
      (level: 'confirm' | 'review' | 'deny') =>
      ({ tool }: HookTaps): void => {
        tool.guard.tap((verdict, call) =>
          call.tool.name === 'pay' ? verdict.raise(level, level) : undefined,
        )
      }
    for (const level of ['confirm', 'review', 'deny'] as const) {
      const agent = await startTestAgent({
        script: calls('shop'),
        tools: [
          pays({ tier: 'confirm' }),
          writes('pay', () => {
            ran.push(level)
            return success(1)
          }),
        ],
        taps: wants(level),
      })
      const { session } = await agent.say('go')
      await approve(agent, session)
      expect(result(agent)).toBe(
        level === 'confirm'
          ? '{"paid":1}'
          : `{"status":"error","code":"${level === 'deny' ? 'TOOL_DENIED' : 'APPROVAL_REQUIRED'}"}`,
      )
    }
    expect(ran).toEqual(['confirm'])
  })

  test('cannot change anything where its caller only reads', async () => {
    let paid = 0
    const agent = await startTestAgent({
      script: calls('shop'),
      tools: [
        { ...pays(), readOnly: true },
        writes('pay', () => {
          paid++
          return success(1)
        }),
      ],
    })
    await agent.say('go')
    expect(result(agent)).toBe('{"status":"error","code":"TOOL_DENIED"}')
    expect(paid).toBe(0)
  })

  test('has a key of its own that is the same on every try', async () => {
    const keys: string[] = []
    const agent = await startTestAgent({
      script: calls('shop'),
      tools: [
        writes('shop', async (_args, ctx) => {
          await ctx.call({ name: 'pay', args: {} })
          await ctx.call({ name: 'pay', args: {} })
          keys.push(ctx.key)
          return success(1)
        }),
        writes('pay', (_args, ctx) => {
          keys.push(ctx.key)
          return success(1)
        }),
      ],
    })
    await agent.say('go')
    expect(keys).toEqual([`${keys[2]}/1`, `${keys[2]}/2`, expect.stringMatching(/^run_.+:c$/)])
  })

  test('ends somewhere: tools that call each other in a circle are refused', async () => {
    let depth = 0
    const agent = await startTestAgent({
      script: calls('shop'),
      tools: [
        writes('shop', async (_args, ctx) => {
          depth++
          return ctx.call({ name: 'shop', args: {} })
        }),
      ],
    })
    await agent.say('go')
    expect(depth).toBe(4)
    expect(result(agent)).toMatch(/4 levels deep/)
  })
})

describe('calls that a tool is known to make', () => {
  const chain = (more: Partial<ToolDefinition> = {}): ToolDefinition =>
    writes(
      'chain',
      async (_args, ctx) =>
        success({ first: (await ctx.call({ name: 'pay', args: { v: 1 } })).status }),
      {
        inner: () =>
          ok([
            { name: 'look', args: {} },
            { name: 'pay', args: { v: 1 } },
          ]),
        ...more,
      },
    )

  test('are guarded before the first one runs: the strictest verdict is that of the whole call', async () => {
    const agent = await startTestAgent({
      script: calls('chain'),
      tools: [chain(), reads('look'), writes('pay', () => success(1))],
      taps: confirms('pay'),
    })
    const turn = await agent.say('go')
    expect(eventsOf(turn, 'confirmation_required')).toMatchObject([
      { tool_name: 'chain', reason: 'pay needs a person', tier: 'confirm' },
    ])
    await approve(agent, turn.session)
    expect(result(agent)).toBe('{"first":"success"}')
  })

  test('are each shown to whoever approves them with one answer', async () => {
    const agent = await startTestAgent({
      script: calls('chain'),
      taps: confirms('pay'),
      tools: [
        chain({
          inner: () =>
            ok([
              { name: 'pay', args: { v: 1 } },
              { name: 'pay', args: { v: 2 } },
            ]),
        }),
        writes('pay'),
      ],
    })
    const turn = await agent.say('go')
    expect(eventsOf(turn, 'confirmation_required')).toMatchObject([
      {
        pending_input_context: {
          calls: [
            { tool: 'pay', params: { v: 1 }, tier: 'confirm' },
            { tool: 'pay', params: { v: 2 } },
          ],
        },
      },
    ])
  })

  test('refuse the whole call where one of them is refused, and nothing has run', async () => {
    let looked = 0
    const taps = ({ tool }: HookTaps): void => {
      tool.guard.tap((verdict, call) =>
        call.tool.name === 'pay' ? verdict.raise('deny', 'no paying') : undefined,
      )
    }
    const agent = await startTestAgent({
      script: calls('chain'),
      tools: [
        chain(),
        reads('look', () => {
          looked++
          return success(1)
        }),
        writes('pay'),
      ],
      taps,
    })
    await agent.say('go')
    expect(result(agent)).toMatch(/not allowed: no paying/)
    expect(looked).toBe(0)
  })

  test('that cannot be told refuse the call', async () => {
    const agent = await startTestAgent({
      script: calls('chain'),
      tools: [chain({ inner: () => err('which one?') }), reads('look'), writes('pay')],
    })
    await agent.say('go')
    expect(result(agent)).toMatch(/which one\?/)
  })
})

test('a hidden tool is not told of, cannot be called, and serves the tools that name it', async () => {
  const script = [
    {
      calls: [
        { name: 'pay', id: 'p' },
        { name: 'shop', id: 'c' },
      ],
    },
    { text: 'so' },
  ]
  const agent = await startTestAgent({
    script,
    tools: [pays({ uses: ['pay'] }), writes('pay', () => success(1), { hidden: true })],
  })
  await agent.say('go')
  expect(agent.model.asked[0]?.tools).toEqual(['shop'])
  expect(agent.model.asked[1]?.results).toEqual({
    p: 'There is no tool "pay". There are: shop.',
    c: '{"paid":1}',
  })

  const other = await startTestAgent({
    script: calls('shop'),
    tools: [pays(), writes('pay', () => success(1), { hidden: true })],
  })
  await other.say('go')
  expect(result(other)).toBe('{"status":"error","code":"TOOL_UNKNOWN"}')
})

describe('what a call does outside', () => {
  const action = (effect: Action['effect']): Action => ({
    connection: 'crm',
    protocol: 'rest',
    method: effect === 'read' ? 'GET' : 'POST',
    path: '/v1/deals',
    query: {},
    headers: {},
    effect,
  })

  test('is judged and sent as one frozen value, and shown to the person who is asked', async () => {
    let judged: PreparedCall | undefined
    let sent: Action | undefined
    const agent = await startTestAgent({
      script: calls('request'),
      tools: [
        writes(
          'request',
          (_args, ctx) => {
            sent = ctx.action
            return success(1)
          },
          { action: () => ok(action('write')) },
        ),
      ],
      taps: ({ tool }) => {
        tool.guard.tap((verdict, call) => {
          judged = call
          return verdict.raise('review', 'a write')
        })
      },
    })
    const turn = await agent.say('go')
    expect(eventsOf(turn, 'confirmation_required')).toMatchObject([
      { endpoint: '/v1/deals', method: 'POST', connection_name: 'crm', tier: 'review' },
    ])
    await approve(agent, turn.session)
    expect(sent).toEqual(action('write'))
    expect([judged?.action, judged?.action?.query].map(Object.isFrozen)).toEqual([true, true])
  })

  test('decides whether it is an effect: a read leaves no intent and runs beside others', async () => {
    const request = writes('request', () => success(1), {
      action: ({ v }) => ok(action(v === 'GET' ? 'read' : 'write')),
    })
    const agent = await startTestAgent({
      script: [
        {
          calls: [
            { name: 'request', id: 'a', args: { v: 'GET' } },
            { name: 'request', id: 'b', args: { v: 'POST' } },
          ],
        },
        { text: 'so' },
      ],
      tools: [request],
    })
    const { session } = await agent.say('go')
    expect((await agent.kinds(session)).filter((kind) => kind === 'tool_intent')).toHaveLength(1)
  })

  test('is part of what is approved: where it goes elsewhere at another server, it is refused', async () => {
    const store = await sharedStore()
    let sent = 0
    const start = (origin: string): Promise<TestAgent> =>
      startTestAgent({
        store,
        script: ({ results }) =>
          'c' in results ? { text: 'so' } : { calls: [{ name: 'request', id: 'c' }] },
        tools: [
          writes(
            'request',
            () => {
              sent++
              return success(1)
            },
            { tier: 'confirm', action: () => ok({ ...action('write'), origin }) },
          ),
        ],
      })
    for (const [origin, times] of [
      ['https://b.example', 0],
      ['https://a.example', 1],
    ] as const) {
      const agent = await start('https://a.example')
      const { session } = await agent.say('go')
      const [ask] = await agent.asks(session)
      await agent.close()
      const next = await start(origin)
      given(await next.answer(session, [ask, { approved: true }]))
      await expect.poll(() => next.kinds(session)).toContain('run_ended')
      expect(sent).toBe(times)
      await next.close()
    }
  })

  test('under a rule that has become stricter since is refused', async () => {
    const store = await sharedStore()
    let sent = 0
    const start = (level: 'confirm' | 'review'): Promise<TestAgent> =>
      startTestAgent({
        store,
        script: ({ results }) =>
          'c' in results ? { text: 'so' } : { calls: [{ name: 'request', id: 'c' }] },
        tools: [
          writes('request', () => {
            sent++
            return success(1)
          }),
        ],
        taps: ({ tool }) => {
          tool.guard.tap((verdict) => verdict.raise(level, level))
        },
      })
    const agent = await start('confirm')
    const { session } = await agent.say('go')
    const [ask] = await agent.asks(session)
    await agent.close()
    const next = await start('review')
    given(await next.answer(session, [ask, { approved: true }]))
    await expect.poll(() => next.kinds(session)).toContain('run_ended')
    expect(next.model.asked[0]?.results['c']).toMatch(/stricter/)
    expect(sent).toBe(0)
  })

  test('that is not allowed to be said refuses the call with its reason', async () => {
    const agent = await startTestAgent({
      script: calls('request'),
      tools: [
        writes('request', () => success(1), {
          action: () => err('`endpoint` leaves the base path'),
        }),
      ],
    })
    await agent.say('go')
    expect(result(agent)).toBe('`endpoint` leaves the base path')
  })
})

test('what a tool keeps for the session is there for every later run, also at another server, until the session is cleared', async () => {
  const store = await sharedStore()
  const seen: string[] = []
  const options: TestAgentOptions = {
    store,
    script: ({ results }) =>
      'c' in results ? { text: 'so' } : { calls: [{ name: 'plan', id: 'c' }] },
    tools: [
      writes('plan', () => ({
        status: 'success',
        output: 1,
        sessionState: { plan: { active: true } },
      })),
    ],
    taps: ({ run }) => {
      run.start.tap((_request, ctx) => {
        seen.push(JSON.stringify(ctx.sessionState))
        return undefined
      })
    },
  }
  const agent = await startTestAgent(options)
  const { session } = await agent.say('one', undefined, { sessionState: { mode: 'slow' } })
  await agent.close()
  const next = await startTestAgent(options)
  await next.say('two', session)
  given(await next.face.clear(session))
  await next.say('three', session)
  expect(seen).toEqual(['{"mode":"slow"}', '{"mode":"slow","plan":{"active":true}}', '{}'])
})

test('what was taken out of a result is sealed in the journal, and known again at another server', async () => {
  const store = await sharedStore()
  const secret: RedactedValue = {
    value: '078-05-1120',
    handle: '[ssn:1]',
    entity: 'Contact',
    field: 'ssn',
    policy: 'retrieve_but_redact',
    sensitivity: 'pii_identifier',
  }
  const known: (readonly RedactedValue[])[] = []
  const options: TestAgentOptions = {
    store,
    script: ({ results }) =>
      'c' in results ? { text: 'so' } : { calls: [{ name: 'shop', id: 'c' }] },
    tools: [
      pays(),
      writes('pay', () => ({ status: 'success', output: { ssn: '[ssn:1]' }, redacted: [secret] })),
    ],
    plugins: [use(secretsEnv, { env: { AMODAL_MASTER_KEY: 'a'.repeat(64) } })],
    taps: ({ run }) => {
      run.start.tap((_request, ctx) => {
        known.push([...ctx.redacted])
        return undefined
      })
    },
  }
  const agent = await startTestAgent(options)
  const { session } = await agent.say('one')
  await agent.close()
  const next = await startTestAgent(options)
  await next.say('two', session)
  expect(known).toEqual([[], [secret]])
  const entries = given(
    await store.entries(
      { tenant: LOCAL_TENANT, session },
      { after: 0 },
      AbortSignal.timeout(1_000),
    ),
  )
  expect(JSON.stringify(entries)).not.toContain(secret.value)
  expect(outcomes(await next.journal(session))).toMatchObject({ c: 'success' })
})

test('a policy says until when an approval can be given, and by whom', async () => {
  const policy = definePlugin({
    name: 'policy',
    version: '1.0.0',
    provides: [ApprovalPolicy],
    setup({ provide }) {
      provide(ApprovalPolicy, () => ({
        expiresInMs: (_call, level) => (level === 'confirm' ? 60_000 : undefined),
        mayAnswer: (_ask, { roles }) =>
          roles.includes('lead')
            ? ok(undefined)
            : err(failure('ASK_NOT_FOUND', 'there is no such question')),
      }))
    },
  })
  const agent = await startTestAgent({
    script: calls('pay'),
    tools: [writes('pay', () => success(1), { tier: 'confirm' })],
    plugins: [use(policy)],
  })
  const turn = await agent.say('go')
  const [asked] = eventsOf(turn, 'confirmation_required')
  expect(Date.parse(asked?.expires_at ?? '')).toBeGreaterThan(Date.now())
  expect(await agent.answer(turn.session, [asked?.id, { approved: true }])).toMatchObject({
    ok: false,
    error: { code: 'ASK_NOT_FOUND' },
  })
  const lead = agent.agent.as({
    tenant: LOCAL_TENANT,
    principal: principalId('boss'),
    roles: ['lead'],
  })
  given(
    await lead.answer(turn.session, [{ id: askId(asked?.id ?? ''), answer: { approved: true } }]),
  )
  await expect.poll(() => agent.kinds(turn.session)).toContain('run_ended')
})
