import connectMcp, { mcpManager } from '@amodal/plugin-connect-mcp'
import connectRest from '@amodal/plugin-connect-rest'
import connections from '@amodal/plugin-connections'
import guardAccess from '@amodal/plugin-guard-access'
import memory from '@amodal/plugin-memory'
import stores from '@amodal/plugin-stores'
import storesMemory from '@amodal/plugin-stores-memory'
import subagents from '@amodal/plugin-subagents'
import toolsPresent from '@amodal/plugin-tools-present'
import { defineBundle, definePlugin, defineTool, sessionId, use, type Entry } from '@amodal/sdk'
import { endsWithToolResult, reply, type ScriptedToolCall } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { boot, startReceiver, type Booted, type Receiver } from './support.ts'

interface Effects {
  readonly done: string[]
  readonly crm: Receiver
}

/** Tools of every kind; each notes what it has done. */
async function everyTool(effects: Effects): Promise<readonly Entry[]> {
  const own = definePlugin({
    name: 'own',
    version: '1.0.0',
    setup({ addTool }) {
      addTool(
        defineTool({
          name: 'custom_write',
          description: 'Writes.',
          readOnly: false,
          input: z.object({ a: z.string() }),
          execute: async () => {
            effects.done.push('custom')
            return { status: 'success', output: 'written' }
          },
        }),
      )
      addTool(
        defineTool({
          name: 'needs_approval',
          description: 'Reads what is dear.',
          readOnly: true,
          tier: 'confirm',
          input: z.object({ a: z.string() }),
          execute: async () => {
            effects.done.push('approved')
            return { status: 'success', output: 'read' }
          },
        }),
      )
    },
  })
  const servers = mcpManager({
    getDiscoveredTools: () => [
      {
        name: 'create_page',
        serverName: 'notion',
        parameters: { type: 'object', properties: { a: { type: 'string' } } },
      },
    ],
    callTool: async () => {
      effects.done.push('mcp')
      return { content: [{ type: 'text', text: 'created' }] }
    },
  })
  return [
    use(own),
    use(connections),
    use(connectRest),
    use(connectMcp),
    use(servers),
    use(guardAccess),
    use(memory),
    use(stores),
    use(storesMemory),
    use(subagents),
    use(toolsPresent),
  ]
}

const args = { a: 'x' }
const CALLS: Readonly<Record<string, ScriptedToolCall>> = {
  rest: {
    name: 'request',
    arguments: {
      connection: 'crm',
      method: 'POST',
      endpoint: '/deals',
      intent: 'write',
      data: { a: 1 },
    },
  },
  mcp: { name: 'notion__create_page', arguments: args },
  custom: { name: 'custom_write', arguments: args },
  store: { name: 'store_findings', arguments: { id: '1', text: 'x' } },
  memory: { name: 'remember', arguments: { text: 'Ann likes tea.' } },
}

async function world(
  call: ScriptedToolCall,
  fields: object = {},
): Promise<{ readonly agent: Booted; readonly effects: Effects }> {
  const effects: Effects = { done: [], crm: await startReceiver() }
  const agent = await boot({
    files: {
      'automations/night.json': { prompt: 'go', ...fields },
      'connections/crm/spec.json': { baseUrl: 'env:CRM', format: 'openapi' },
      'connections/crm/access.json': {
        endpoints: { 'POST /deals': { confirm: false, returns: [] } },
      },
    },
    env: { CRM: effects.crm.url },
    bundle: {
      stores: defineBundle({
        name: 'x',
        stores: [
          {
            name: 'findings',
            entity: {
              name: 'Finding',
              key: '{id}',
              schema: { id: { type: 'string' }, text: { type: 'string' } },
            },
          },
        ],
      }).stores,
    },
    plugins: await everyTool(effects),
    script: (request) =>
      endsWithToolResult(request) ? reply.text('Done what I could.') : reply.toolCalls(call),
  })
  return { agent, effects }
}

/** What stands in the notes and in the store afterwards, and what was done outside. */
async function writes({ agent, effects }: Awaited<ReturnType<typeof world>>): Promise<number> {
  const stored = await agent.get('/api/stores/findings')
  const { total } = stored as { readonly total: number }
  return (
    effects.done.length +
    effects.crm.received.filter(({ path }) => path === '/deals').length +
    total
  )
}

describe.each(Object.entries(CALLS))('a write by %s', (kind, call) => {
  test('is refused where the file does not allow it, and named', async () => {
    const made = await world(call)
    const ended = await made.agent.run('night')
    expect(ended).toMatchObject({
      status: 'completed',
      refused: [{ tool: call.name, reason: expect.stringContaining('writeEnabled') as string }],
    })
    expect(await writes(made)).toBe(0)
  })

  test('of a sub-agent is refused as well, and named', async () => {
    const made = await world(call)
    made.agent.model.play((request) => {
      if (endsWithToolResult(request)) return reply.text('Done what I could.')
      return JSON.stringify(request.messages.at(-1)).includes('child task')
        ? reply.toolCalls(call)
        : reply.toolCalls({ name: 'dispatch_task', arguments: { prompt: 'child task' } })
    })
    const ended = await made.agent.run('night')
    expect(ended).toMatchObject({
      status: 'completed',
      refused: [{ tool: call.name, reason: expect.stringContaining('writeEnabled') as string }],
    })
    expect(await writes(made)).toBe(0)
  })

  test.runIf(kind === 'custom' || kind === 'rest' || kind === 'store')(
    'is made where the file allows it',
    async () => {
      const made = await world(call, { writeEnabled: true })
      const ended = await made.agent.run('night')
      expect(ended).toMatchObject({ status: 'completed' })
      expect(await writes(made)).toBe(1)
    },
  )
})

test('a read that needs an approval is refused where the file says so, and named', async () => {
  const made = await world({ name: 'needs_approval', arguments: args }, { approvals: 'refuse' })
  expect(await made.agent.run('night')).toMatchObject({
    status: 'completed',
    refused: [{ tool: 'needs_approval', reason: expect.stringContaining('approval') as string }],
  })
  expect(made.effects.done).toEqual([])
})

test('a question that nobody can answer is answered so', async () => {
  const { agent } = await world({
    name: 'ask_user',
    arguments: { question: 'Which one?' },
  })
  expect(await agent.run('night')).toMatchObject({ status: 'completed' })
})

test('a person who goes on in the session of a run acts as themselves', async () => {
  const made = await world({ name: 'custom_write', arguments: args })
  const ended = await made.agent.run('night')
  const asked = await made.agent.client.ask({
    session: sessionId(String(ended['session_id'])),
    text: 'and now?',
  })
  expect(asked.ok).toBe(true)
  expect(made.effects.done).toEqual(['custom'])
})
