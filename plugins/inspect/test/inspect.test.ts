import { describe, expect, test } from 'vitest'
import {
  Agent,
  definePlugin,
  explain,
  failure,
  Health,
  Kernel,
  unwrap,
  use,
  type HealthFact,
  type Inspection,
  Authenticator,
  ok,
} from '@amodal/sdk'
import { Inventories } from '@amodal/sdk/inspection'
import { http } from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { inspect } from '../src/index.ts'
import { bundle, prompt, StubAgent } from './stub-agent.ts'

const facts = (fact: () => HealthFact) =>
  definePlugin({
    name: 'facts',
    version: '1.0.0',
    setup: ({ add }) => {
      add(Health, 'facts', fact)
      add(Inventories, 'automations', {
        title: 'Automations',
        items: (_, roles) => [
          {
            name: 'digest',
            about: 'by hand',
            facts: { writeEnabled: false, seenBy: [...(roles ?? ['all'])] },
          },
        ],
      })
    },
  })

async function serving(
  agent: StubAgent,
  fact: () => HealthFact = () => ({ facts: { documents: 3 } }),
  authenticator?: Authenticator,
) {
  const kernel = unwrap(
    await Kernel.create([use(http, { port: 0 }), use(inspect), use(facts(fact))], {
      services: [
        [Agent, agent],
        ...(authenticator ? ([[Authenticator, authenticator]] as const) : []),
      ],
    }),
    explain,
  )
  const app = kernel.scope.get(HttpApp)
  return {
    get: (path: string, method = 'GET') =>
      app.fetch(new Request(`http://localhost${path}`, { method })),
    [Symbol.asyncDispose]: async () => {
      await kernel.close()
    },
  }
}

describe('/health', () => {
  test('reports a healthy agent with its facts', async () => {
    await using server = await serving(new StubAgent())
    const response = await server.get('/health')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      status: 'ok',
      mode: 'repo',
      repo_path: '/agent',
      name: 'ops',
      uptime_ms: expect.any(Number),
      active_sessions: 3,
      active_runs: 1,
      model_notice: 'no key is set',
      documents: 3,
    })
  })

  test('reports that the agent is starting until it is ready', async () => {
    const agent = Object.assign(new StubAgent(), { ready: false, files: undefined })
    await using server = await serving(agent)
    const response = await server.get('/health')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await response.json()).toMatchObject({ status: 'starting', repo_path: null })
    agent.ready = true
    expect((await server.get('/health')).status).toBe(200)
  })

  test('is starting until the agent is ready although it has a problem, and then degraded', async () => {
    const agent = Object.assign(new StubAgent(), { ready: false })
    const problem = 'the disk is full'
    await using server = await serving(agent, () => ({ facts: {}, problem }))
    const starting = await server.get('/health')
    expect(starting.status).toBe(503)
    expect(await starting.json()).toMatchObject({
      status: 'starting',
      problems: [`facts: ${problem}`],
    })
    agent.ready = true
    const degraded = await server.get('/health')
    expect(degraded.status).toBe(200)
    expect(await degraded.json()).toMatchObject({ status: 'degraded' })
  })

  test('reports that the agent is starting while no request can be authenticated', async () => {
    let isStarting = true
    const authenticator: Authenticator = {
      configured: () => false,
      isStarting: () => isStarting,
      authenticate: () => Promise.resolve(ok(undefined)),
    }
    await using server = await serving(new StubAgent(), undefined, authenticator)
    expect((await server.get('/health')).status).toBe(503)
    isStarting = false
    expect((await server.get('/health')).status).toBe(200)
  })

  test.each([
    [
      'the agent',
      Object.assign(new StubAgent(), { problem: failure('BAD_REPO', 'amodal.json:3: oops') }),
      undefined,
      ['BAD_REPO: amodal.json:3: oops'],
    ],
    [
      'a file',
      Object.assign(new StubAgent(), {
        files: {
          ...bundle,
          issues: [
            {
              severity: 'error' as const,
              code: 'X',
              message: 'is not JSON',
              file: 'stores/a.json',
              line: 3,
            },
          ],
        },
      }),
      undefined,
      ['stores/a.json:3  is not JSON'],
    ],
    [
      'many files',
      Object.assign(new StubAgent(), {
        files: {
          ...bundle,
          issues: Array.from({ length: 7 }, (_, at) => ({
            severity: 'error' as const,
            code: 'X',
            message: 'm',
            file: `stores/${at}.json`,
          })),
        },
      }),
      undefined,
      [
        ...[0, 1, 2, 3, 4].map((at) => `stores/${at}.json  m`),
        '2 more errors in the files of the agent: see `amodal validate`',
      ],
    ],
    [
      'a plugin',
      new StubAgent(),
      () => ({ facts: { documents: 0 }, problem: 'the disk is full' }),
      ['facts: the disk is full'],
    ],
    [
      'a plugin that throws',
      new StubAgent(),
      () => {
        throw new Error('oops')
      },
      ['facts: its health cannot be determined: oops'],
    ],
  ])('names what does not work: %s', async (_, agent, fact, problems) => {
    await using server = await serving(agent, fact)
    const response = await server.get('/health')
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ status: 'degraded', problems })
  })
})

describe('/inspect', () => {
  test('context: what the model is sent, and what each part costs', async () => {
    await using server = await serving(new StubAgent())
    expect(await (await server.get('/inspect/context')).json()).toMatchObject({
      repo_path: '/agent',
      name: 'ops',
      model: 'demo',
      provider: 'demo',
      notice: 'no key is set',
      system_prompt: prompt.text,
      system_prompt_length: prompt.text.length,
      token_usage: {
        total: 1_000,
        used: expect.any(Number),
        remaining: expect.any(Number),
        sectionBreakdown: { system: expect.any(Number), skill: expect.any(Number) },
      },
      contributions: [
        { name: 'You', category: 'system', tokens: 3 },
        { name: 'triage', category: 'skill', tokens: 10, filePath: 'skills/triage/SKILL.md' },
      ],
      connections: [],
      connectionFiles: [],
      mcpServers: [],
      automations: [{ name: 'digest', writeEnabled: false, seenBy: ['*'] }],
      skills: [{ name: 'triage', filePath: 'skills/triage/SKILL.md' }],
      knowledge: [{ name: 'zones', title: 'Zones' }],
    })
  })

  test('context: an agent whose files are broken says where', async () => {
    await using server = await serving(Object.assign(new StubAgent(), { compiles: false }))
    const response = await server.get('/inspect/context')
    expect([response.status, await response.json()]).toEqual([
      503,
      { error: { code: 'BAD_REPO', message: 'amodal.json:3: no model' } },
    ])
  })

  test('kernel: as data, as a tree, as a graph', async () => {
    await using server = await serving(new StubAgent())
    const { plugins }: Inspection = await (await server.get('/inspect/kernel')).json()
    expect(plugins.map(({ name }) => name)).toEqual(['http', 'inspect', 'facts'])
    expect(await (await server.get('/inspect/kernel?format=text')).text()).toMatch(
      /generation 1, 3 plugins[\s\S]*http\.routes/,
    )
    expect(await (await server.get('/inspect/kernel?format=mermaid')).text()).toMatch(/^graph LR/)
    expect((await server.get('/inspect/kernel?format=png')).status).toBe(400)
  })

  test('health: models, files and failures', async () => {
    await using server = await serving(new StubAgent())
    expect(await (await server.get('/inspect/health')).json()).toMatchObject({
      status: 'ok',
      models: [{ provider: 'demo', keySet: false }],
      issues: [],
      runs: [],
      errors: [],
    })
  })

  test('nothing can be changed here, and nothing else is there', async () => {
    await using server = await serving(new StubAgent())
    for (const path of ['/health', '/inspect/health', '/inspect/context', '/inspect/kernel']) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
        expect((await server.get(path, method)).status).toBe(405)
      expect((await server.get(path, 'HEAD')).status).toBe(200)
    }
    for (const path of ['/inspect', '/inspect/x', '/health/x', '/inspect/%00', '/inspect/kernel/'])
      expect((await server.get(path)).status).toBe(404)
  })
})
