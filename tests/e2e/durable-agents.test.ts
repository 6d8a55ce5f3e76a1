/** The examples of the specification's page on agents with state, written as agent files. */

import { createClient, type Client } from '@amodal/sdk/client'
import { contentText, reply, type ChatCompletionRequest, type Script } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { openDoor, textIn, type Door, type DoorOptions } from '../security/support/door.ts'

const tool = (description: string, handler: string, fields = ''): string =>
  `import { defineToolHandler } from '@amodal/sdk'
export default defineToolHandler({
  description: '${description}',
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
  taint: 'ignore',
  ${fields}
  handler: async ({ text }, ctx) => { ${handler} },
})`
const MUTATING = 'mutating: true,'

/** `NAME TEXT` calls a tool; anything else is repeated. `fail` ends in an error of the provider. */
const model: Script = ({ messages }) => {
  const last = messages.at(-1)
  const question = messages.findLast(({ role }) => role === 'user')
  const [name = '', text = ''] = (question ? contentText(question) : '').split(' ')
  if (last?.role === 'tool')
    return text === 'fail' ? reply.httpError(401, { message: 'no' }) : reply.text(contentText(last))
  return name.includes('_')
    ? reply.toolCalls([{ name, arguments: { text } }])
    : reply.text(`You said ${name}.`)
}

interface Opened {
  readonly door: Door
  readonly client: Client
  readonly requests: readonly ChatCompletionRequest[]
  readonly session: string
  /** Asks in the session; the response. */
  readonly ask: (message: string) => Promise<string>
  readonly state: () => Promise<object>
}

/** Runs an example with a session in which something was said. */
async function withAgent(
  {
    script = model,
    ...options
  }: Omit<DoorOptions, 'script'> & Partial<Pick<DoorOptions, 'script'>>,
  work: (opened: Opened) => Promise<void>,
): Promise<void> {
  const requests: ChatCompletionRequest[] = []
  await using door = await openDoor({
    ...options,
    script: (request, n) => {
      if (request.tools) requests.push(request)
      return typeof script === 'function' ? script(request, n) : reply.text('')
    },
  })
  const headers = { authorization: `Bearer ${door.token}` }
  const session = textIn((await door.say('Begin')).body, 'session_id')
  await work({
    door,
    client: createClient({ url: door.url, headers }),
    requests,
    session,
    ask: async (message) =>
      textIn((await door.say(message, { session_id: session })).body, 'response'),
    state: async () => (await createClient({ url: door.url, headers }).state(session)).state,
  })
}

const systemOf = (request: ChatCompletionRequest | undefined): string =>
  JSON.stringify(request?.messages.filter(({ role }) => role === 'system') ?? [])

describe('defining an agent', () => {
  test('Helper: max_tool_rounds is required, and bounds the rounds of one ask', async () => {
    const helper = {
      strict: true,
      limits: { max_tool_rounds: 5 },
    }
    await withAgent(
      {
        manifest: helper,
        files: {
          'agents/main/AGENT.md': 'You are a helpful assistant.',
          'tools/look_up.ts': tool('Looks up.', 'return {}'),
        },
        script: ({ messages, tools }) =>
          tools && messages.some((one) => one.role === 'user' && contentText(one) !== 'Begin')
            ? reply.toolCalls([{ name: 'look_up', arguments: {} }])
            : reply.text('Hello.'),
      },
      async ({ door, requests, session }) => {
        expect(systemOf(requests[0])).toContain('You are a helpful assistant.')
        const before = requests.length
        const { body } = await door.say('Go', { session_id: session })
        expect(body['tool_calls']).toHaveLength(5)
        // the last call of the model has no round of tools behind it
        expect(requests.length - before).toBeLessThanOrEqual(6)
      },
    )
    await expect(openDoor({ manifest: { strict: true }, script: model })).rejects.toThrow(
      'an agent that is `strict` needs `limits.max_tool_rounds`',
    )
  })

  test('Tutor: the configuration is expressions over the state, evaluated for each ask', async () => {
    await withAgent(
      {
        manifest: (url) => ({
          limits: { max_tool_rounds: 3 },
          models: {
            main: { provider: 'openai-compatible', model: 'small', baseUrl: url },
            advanced: { provider: 'openai-compatible', model: 'large', baseUrl: url },
          },
          state: {
            properties: {
              preferred_model: {
                type: 'string',
                default: 'main',
                visibility: 'public',
                write: ['api'],
              },
              difficulty: { type: 'integer', default: 2, visibility: 'public', write: ['api'] },
              subject: { type: 'string', default: 'maths', visibility: 'public', write: ['api'] },
            },
          },
          expressions: {
            model: 'state.preferred_model',
            temperature: 'state.difficulty * 0.1',
            instructions: 'Help the student learn {{ state.subject }}',
          },
        }),
      },
      async ({ client, session, requests, ask }) => {
        expect(requests.at(-1)).toMatchObject({ model: 'small', temperature: 0.2 })
        expect(systemOf(requests.at(-1))).toContain('Help the student learn maths')
        const next = { preferred_model: 'advanced', difficulty: 5, subject: 'music' }
        await client.changeState(session, next, '*')
        await ask('Hello')
        expect(requests.at(-1)).toMatchObject({ model: 'large', temperature: 0.5 })
        expect(systemOf(requests.at(-1))).toContain('Help the student learn music')
      },
    )
  })

  test('Researcher: a mutating tool changes its state, which outlives the server', async () => {
    await withAgent(
      {
        manifest: {
          limits: { max_tool_rounds: 5, max_tokens: 2000, max_history: 50, token_budget: 100_000 },
          state: {
            properties: {
              specialty: { type: 'string', default: 'general', visibility: 'public' },
              papers_reviewed: { type: 'integer', default: 0, visibility: 'public' },
            },
          },
          expressions: {
            instructions: 'You are a research assistant specializing in {{ state.specialty }}',
          },
        },
        files: {
          'tools/search_articles.ts': tool(
            'Search articles by topic',
            'return { answer: "found results for: " + text }',
          ),
          'tools/record_finding.ts': tool(
            'Record a finding',
            'const { papers_reviewed } = ctx.state.get(); await ctx.state.set({ papers_reviewed: papers_reviewed + 1 }); return { recorded: true }',
            MUTATING,
          ),
        },
      },
      async ({ door, requests, ask, state }) => {
        expect(systemOf(requests[0])).toContain('specializing in general')
        expect(requests[0]).toMatchObject({ max_tokens: 2000 })
        expect(await ask('search_articles joints')).toContain('found results for: joints')
        expect(await ask('record_finding joints')).toContain('true')
        await ask('record_finding hips')
        expect(await state()).toEqual({ specialty: 'general', papers_reviewed: 2 })
        // an ask that fails discards what it has changed
        await ask('record_finding fail')
        expect(await state()).toEqual({ specialty: 'general', papers_reviewed: 2 })
        await door.restart()
        expect(await state()).toEqual({ specialty: 'general', papers_reviewed: 2 })
      },
    )
  })
})

describe('tools and state', () => {
  test('a read-only tool reads the state and cannot write it', async () => {
    await withAgent(
      {
        manifest: { mutable: { last_topic: 'none' } },
        files: {
          'tools/find_task.ts': tool(
            'Look up a task by name',
            'return { found: ctx.state.get().last_topic === text }',
          ),
          'tools/set_topic.ts': tool('Track', 'await ctx.state.set({ last_topic: text })'),
        },
      },
      async ({ ask }) => {
        expect(await ask('find_task none')).toContain('"found":true')
        expect(await ask('set_topic music')).toContain('"set_topic" changes the state')
        expect(await ask('find_task none')).toContain('"found":true')
      },
    )
  })

  test('results of a private tool are hidden from clients', async () => {
    await withAgent(
      {
        files: {
          'tools/internal_lookup.ts': tool(
            'Internal lookup',
            'return { data: "sensitive info" }',
            'private: true,',
          ),
        },
        script: (request, n) => {
          const last = request.messages.at(-1)
          if (last?.role === 'tool') return reply.text(`${contentText(last).length} characters`)
          return typeof model === 'function' ? model(request, n) : reply.text('')
        },
      },
      async ({ door, requests, session }) => {
        const events = await door.stream('internal_lookup x', { session_id: session })
        expect(JSON.stringify(requests.at(-1))).toContain('sensitive info')
        expect(JSON.stringify(events)).not.toContain('sensitive info')
        expect((await door.get(`/sessions/${session}`)).text).not.toContain('sensitive info')
      },
    )
  })

  test('Tracker: properties of each type are declared by their values', async () => {
    const TRACKER = {
      last_topic: 'none',
      query_count: 0,
      confidence: 0.5,
      initialized: false,
      total_chars: 0,
    }
    await withAgent(
      {
        manifest: { limits: { max_tool_rounds: 3 }, mutable: TRACKER },
        files: {
          'tools/track_query.ts': tool(
            'Tracks a query.',
            `const now = ctx.state.get()
            return ctx.state.set({ last_topic: text, query_count: now.query_count + 1, confidence: 0.75, initialized: true, total_chars: now.total_chars + text.length })`,
            MUTATING,
          ),
          'tools/track_badly.ts': tool(
            'Tracks a text as a count.',
            'return ctx.state.set({ query_count: text })',
            MUTATING,
          ),
        },
      },
      async ({ ask }) => {
        expect(JSON.parse(await ask('track_query music'))).toEqual({
          last_topic: 'music',
          query_count: 1,
          confidence: 0.75,
          initialized: true,
          total_chars: 5,
        })
        expect(await ask('track_badly many')).toContain(
          'state.query_count: does not fit its schema',
        )
      },
    )
  })
})

describe('history, budget and recovery', () => {
  test('max_history bounds what the model gets, 0 is stateless, clear begins anew', async () => {
    const usersIn = (request: ChatCompletionRequest | undefined): readonly string[] =>
      request?.messages.filter(({ role }) => role === 'user').map(contentText) ?? []
    await withAgent({ manifest: { limits: { max_history: 1 } } }, async ({ requests, ask }) => {
      await ask('one')
      await ask('two')
      expect(usersIn(requests.at(-1))).toEqual(['one', 'two'])
    })
    await withAgent({ manifest: { limits: { max_history: 0 } } }, async ({ requests, ask }) => {
      await ask('one')
      expect(usersIn(requests.at(-1))).toEqual(['one'])
    })
    await withAgent({}, async ({ door, requests, session, client, ask }) => {
      await ask('one')
      await door.post(`/sessions/${session}/clear`, {})
      await ask('two')
      expect(usersIn(requests.at(-1))).toEqual(['two'])
      const { status } = await client.state(session).catch(() => ({ status: undefined }))
      expect(status).toBeUndefined() // it declares no state
    })
  })

  test('CostAware: beyond its budget an ask fails before the model is called', async () => {
    await withAgent(
      {
        manifest: { limits: { max_tool_rounds: 5, token_budget: 1_000 } },
        script: () => reply.text('Hello.', { usage: { promptTokens: 990, completionTokens: 20 } }),
      },
      async ({ door, requests, session }) => {
        const before = requests.length
        const events = await door.stream('Hello', { session_id: session })
        expect(requests).toHaveLength(before)
        expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'budget_exceeded' })
      },
    )
  })
})
