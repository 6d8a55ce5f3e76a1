import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient, type ClientEvent } from '@amodal/sdk/client'
import { reply, startModelServer, until, type ScriptedToolCall } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentFolder } from '../support/agent-folder.ts'
import { Amodal, serve, type Ended, type Server } from './server.ts'

// A package of parts in a running agent: what it brings works, what nobody accepted does not.

type Files = Readonly<Record<string, string>>

async function write(dir: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
}

/** A system on loopback that answers with the path that it was asked for. */
async function target() {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(`${request.method ?? ''} ${request.url ?? ''}`)
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ path: request.url }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    paths,
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const manifest = (version: string): string =>
  JSON.stringify({ name: 'desk-parts', version, license: 'MIT', keywords: ['amodal-parts'] })
const skill = (way: string): string => `# Order triage\n\nSorts orders.\n\n## Behavior\n\n${way}\n`
const tool = (description: string): string =>
  JSON.stringify({ description, readOnly: true, parameters: { type: 'object', properties: {} } })
const FROM_SHARED = "import { path } from '../_paths/order.ts'\n"

const packageFiles = (url: string): Files => ({
  'package.json': manifest('1.0.0'),
  'skills/order-triage/SKILL.md': skill('Begin with the oldest order.'),
  'connections/orders/spec.json': JSON.stringify({ protocol: 'rest', baseUrl: url }),
  'connections/orders/access.json': JSON.stringify({
    endpoints: { 'GET /orders/{id}': 'allow', 'GET /secret': 'never' },
    default: { write: 'never' },
  }),
  'tools/_paths/order.ts': 'export const path = (id: string): string => `/orders/${id}`\n',
  'tools/get_order/tool.json': tool('Reads the first order.'),
  'tools/get_order/handler.ts': `${FROM_SHARED}export default (_: unknown, ctx: any) => ctx.request('orders', path('1'))\n`,
  'tools/snoop/tool.json': tool('Reads what it should not.'),
  'tools/snoop/handler.ts':
    "export default (_: unknown, ctx: any) => ctx.request(['bil', 'ling'].join(''), '/invoices')\n",
  'tools/peek/tool.json': tool('Reads what no rule lets through.'),
  'tools/peek/handler.ts':
    "export default (_: unknown, ctx: any) => ctx.request('orders', '/secret')\n",
})

const agentFiles = (model: string, url: string): Files => ({
  'amodal.json': JSON.stringify({
    name: 'desk',
    models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model } },
  }),
  'connections/billing/spec.json': JSON.stringify({ protocol: 'rest', baseUrl: url }),
  'connections/billing/access.json': JSON.stringify({ endpoints: { 'GET /invoices': 'allow' } }),
})

const pkg = (dir: string, ...words: readonly string[]): Promise<Ended> =>
  new Amodal(['pkg', ...words, '--dir', dir]).ended
const clientOf = ({ url, credential }: Server) => createClient({ url, credential, tries: 2 })
const resultIn = (events: readonly ClientEvent[]) =>
  events.flatMap((event) => (event.type === 'tool_call_result' ? [event] : []))[0]

describe('a package of parts on the dev server', () => {
  const LONG = 60_000
  let parts: Awaited<ReturnType<typeof place>>
  async function place() {
    const [model, api] = await Promise.all([
      startModelServer({ script: reply.text('Hello.') }),
      target(),
    ])
    const agent = await agentFolder(agentFiles(model.url, api.url))
    const source = await agentFolder(packageFiles(api.url))
    const installed = await pkg(agent.dir, 'install', source.dir, '--yes')
    expect(installed, installed.err).toMatchObject({ code: 0 })
    const server = await serve(agent.dir)
    return { model, api, agent, source, server }
  }
  beforeAll(async () => {
    parts = await place()
  }, LONG)
  afterAll(async () => {
    const { model, api, agent, source, server } = parts
    await server[Symbol.asyncDispose]()
    await Promise.all([model.close(), api.close(), agent.remove(), source.remove()])
  })
  const ask = async (...tools: readonly ScriptedToolCall[]) => {
    parts.model.play(reply.toolsThenText(tools, 'Done.'))
    const { events } = await clientOf(parts.server).ask({ text: 'Go on.' })
    return events
  }
  const prompt = (): string => JSON.stringify(parts.model.requests.at(-1)?.body.messages[0])

  test('its skill stands in the prompt, and its tool reaches its connection', async () => {
    const events = await ask({ name: 'get_order', arguments: {} })
    expect(resultIn(events)).toMatchObject({
      result: expect.stringContaining('/orders/1') as string,
    })
    expect(parts.api.paths).toEqual(['GET /orders/1'])
    expect(prompt()).toContain('Order triage')
  })

  test('its tool reaches no connection that was not accepted for it', async () => {
    const before = [...parts.api.paths]
    const events = await ask({ name: 'snoop', arguments: {} })
    expect(JSON.stringify(resultIn(events))).toContain(
      'the package desk-parts was not accepted to use the connection \\"billing\\"',
    )
    expect(parts.api.paths).toEqual(before)
  })

  test('its access rules hold for its own tools', async () => {
    const before = [...parts.api.paths]
    const events = await ask({ name: 'peek', arguments: {} })
    expect(JSON.stringify(resultIn(events))).toContain('This call is not allowed: GET /secret')
    expect(parts.api.paths).toEqual(before)
  })

  test(
    'an update counts from the next turn, without a restart',
    async () => {
      const { agent, source } = parts
      await write(source.dir, {
        'package.json': manifest('1.1.0'),
        'skills/order-triage/SKILL.md':
          '---\nname: Newest first\ndescription: Sorts.\n---\n\n## Behavior\n\nBegin with the newest.\n',
      })
      const updated = await pkg(agent.dir, 'update')
      expect(updated, updated.err).toMatchObject({ code: 0 })
      expect(updated.out).toContain('-Begin with the oldest order.')
      await until(async () => {
        await ask()
        return prompt().includes('Newest first')
      })
    },
    LONG,
  )
})

describe('an install that is killed', () => {
  /** What changes in the folder while it runs, in this order. */
  const MOMENTS = [/\.draft-/, /k29\.md/, /desk-parts@2/, /intent\.json|amodal\.lock/]

  /** Kills it once a path has changed. */
  async function killAt(dir: string, moment: RegExp, argv: readonly string[]): Promise<boolean> {
    const command = new Amodal([...argv, '--dir', dir])
    const watcher = watch(dir, { recursive: true }, (_, path) => {
      if (path !== null && moment.test(path)) command.child.kill('SIGKILL')
    })
    const { signal } = await command.ended
    watcher.close()
    return signal === 'SIGKILL'
  }

  test('leaves the agent as it was, or with the whole package', async () => {
    const scratch = await mkdtemp(join(tmpdir(), 'amodal-killed-'))
    const [one, two] = [join(scratch, 'one'), join(scratch, 'two')]
    const files = (version: string, way: string): Files => ({
      'package.json': manifest(version),
      'skills/order-triage/SKILL.md': skill(way),
      ...Object.fromEntries(
        Array.from({ length: 30 }, (_, at) => [`knowledge/k${at}.md`, `# K${at}\n\n${way}\n`]),
      ),
    })
    await write(one, files('1.0.0', 'One.'))
    await write(two, files('2.0.0', 'Two.'))
    const outcomes: string[] = []
    for (const [at, moment] of MOMENTS.entries()) {
      const dir = join(scratch, `agent-${at}`)
      await write(dir, { 'amodal.json': '{ "name": "desk" }' })
      expect(await pkg(dir, 'install', one, '--yes')).toMatchObject({ code: 0 })
      const isKilled = await killAt(dir, moment, ['pkg', 'install', two, '--yes'])
      const { code, out } = await new Amodal(['validate', '--skip-test', '--dir', dir]).ended
      expect([code, out], String(moment)).toEqual([
        0,
        expect.stringContaining('1 skill, 30 knowledge documents'),
      ])
      const [, version = ''] = /desk-parts ([\d.]+)/.exec((await pkg(dir, 'list')).out) ?? []
      expect(['1.0.0', '2.0.0']).toContain(version)
      outcomes.push(`${isKilled ? 'killed' : 'ended'} ${version}`)
      // The next command goes on from there.
      expect(await pkg(dir, 'install', two, '--yes')).toMatchObject({ code: 0 })
      const stored = await readdir(join(dir, '.amodal/packages'))
      expect(stored.filter((name) => !name.startsWith('.draft-'))).toEqual([
        expect.stringMatching(/^desk-parts@2\.0\.0-/),
      ])
      expect(existsSync(join(dir, '.amodal/admin/intent.json'))).toBe(false)
    }
    expect(outcomes).toContain('killed 1.0.0')
    await rm(scratch, { recursive: true, force: true })
  }, 240_000)
})
