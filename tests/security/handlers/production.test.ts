/**
 * Code of the agent, on a server of production: it runs where a start has proved that it is kept
 * apart, and nowhere else.
 */
import { spawnSync } from 'node:child_process'
import { main } from '@amodal/presets/cli'
import { isObject, type Json, type JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPostgres, type Postgres } from '../../support/postgres.ts'
import { openDoor, textIn, write, type Door } from '../support/door.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const asRoot = process.getuid?.() === 0
const hasNamespaces =
  process.platform === 'linux' &&
  spawnSync(
    'unshare',
    [
      ...(asRoot ? [] : ['--user', '--map-root-user']),
      '--mount',
      '--pid',
      '--net',
      '--fork',
      'true',
    ],
    { stdio: 'ignore' },
  ).status === 0

const CODE = {
  'tools/tells/tool.json': { description: 'Tells.' },
  'tools/tells/handler.ts': "export default () => 'told'",
}
const NO_CODE = {
  'connections/crm/spec.json': { protocol: 'rest', baseUrl: 'http://127.0.0.1:9', testPath: '/' },
  'tools/asks/tool.json': {
    description: 'Asks.',
    type: 'http',
    connection: 'crm',
    endpoint: '/x',
    parameters: { type: 'object', properties: {} },
  },
}

async function production(
  files: Readonly<Record<string, string | object>>,
  config: JsonObject = {},
): Promise<Door> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    AMODAL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    DATABASE_URL: await postgres.createDatabase(),
  }
  return openDoor({
    preset: 'production',
    env,
    files,
    script: reply.toolsThenText({ name: 'tells', arguments: {} }, 'Done.'),
    manifest: { plugins: [['tools-custom', config]] },
  })
}

/** What is told of handlers, once it is known. */
async function handlers(door: Door, path: string): Promise<JsonObject> {
  const told = async (): Promise<Json | undefined> => (await door.get(path)).body['handlers']
  await expect
    .poll(async () => {
      const said = await told()
      return isObject(said) && said['proof'] !== undefined
    })
    .toBe(true)
  const said = await told()
  return isObject(said) ? said : {}
}

const STOPPED = {
  environment: 'stopped',
  dotenv: 'stopped',
  keys: 'stopped',
  write: 'stopped',
  loopback: 'stopped',
  child: 'stopped',
}

describe('a server of production', () => {
  test('refuses to start with code that nothing keeps apart: it says which code, what was reached, and what to do', async () => {
    const refused = await production(CODE, { sandbox: 'process' }).then(
      () => '',
      (cause: unknown) => String(cause),
    )
    expect(refused).toContain('NOT_ISOLATED')
    expect(refused).toContain(
      'this agent has code of its own (tools/tells/handler.ts), and nothing on this machine keeps it apart from the server',
    )
    if (process.platform === 'linux')
      expect(refused).toContain(
        'process: from inside, an attempt could read the environment of the server, read the .env of the agent, read the keys in the data folder, write outside of its own folder, connect to a port of this machine, leave a process behind',
      )
    expect(refused).toContain('Install bubblewrap')
    expect(refused).toContain('"isolation": "none"')
  })

  test('starts without any of that where all tools are requests', async () => {
    await using door = await production(NO_CODE, { sandbox: 'process' })
    expect((await door.get('/health')).body['handlers']).toBeUndefined()
  })

  test('takes no code in while it runs, either', async () => {
    await using door = await production(NO_CODE, { sandbox: 'process' })
    await write(door.dir, CODE)
    const reloaded = await door.running.agent.reloadBundle()
    expect(reloaded).toMatchObject({ ok: false, error: { code: 'NOT_ISOLATED' } })
    expect(textIn((await door.get('/health')).body, 'status')).toBe('degraded')
  })

  test('runs it all the same where somebody has said so, and tells of it', async () => {
    await using door = await production(CODE, { sandbox: 'process', isolation: 'none' })
    expect((await door.say('Go')).text).toContain('told')
    for (const path of ['/health', '/inspect/health'])
      expect(await handlers(door, path)).toMatchObject({
        isolation: 'none',
        isolated: false,
        sandbox: 'process',
      })
  })

  test.runIf(hasNamespaces)(
    'runs it where the proof holds, which it shows, and as nobody else',
    async () => {
      await using door = await production(
        { ...CODE, 'tools/tells/handler.ts': 'export default () => `told by ${process.getuid()}`' },
        { sandbox: 'namespaces' },
      )
      const said = (await door.say('Go')).text
      expect(said).toMatch(/told by \d+/)
      if (asRoot) expect(said).toMatch(/told by 64\d{3}/)
      for (const path of ['/health', '/inspect/health'])
        expect(await handlers(door, path)).toMatchObject({
          isolation: 'required',
          isolated: true,
          sandbox: 'namespaces',
          proof: STOPPED,
        })
    },
  )

  test.runIf(hasNamespaces)(
    'does not count a port that is open by `network`, since somebody has said so',
    async () => {
      await using door = await production(CODE, { sandbox: 'namespaces', network: true })
      expect(await handlers(door, '/health')).toMatchObject({
        isolated: true,
        proof: { ...STOPPED, loopback: 'reached' },
      })
    },
  )
})

describe('amodal doctor', () => {
  const doctor = async (
    dir: string,
    ...argv: readonly string[]
  ): Promise<{ readonly code: number; readonly out: string }> => {
    let out = ''
    const code = await main({
      argv: ['doctor', '--dir', dir, ...argv],
      env: { PATH: process.env['PATH'] ?? '' },
      signal: new AbortController().signal,
      input: (async function* () {
        yield* [] as readonly string[]
      })(),
      write: (text) => {
        out += text
      },
      fail: (text) => {
        out += text
      },
    })
    return { code, out }
  }

  test('shows what a handler reached, and says what production would make of it', async () => {
    await using door = await openDoor({
      files: CODE,
      manifest: { plugins: [['tools-custom', { sandbox: 'process' }]] },
      script: reply.text('Hello.'),
    })
    const bare = await doctor(door.dir)
    expect(bare).toMatchObject({
      code: 0,
      out: expect.stringContaining('✓ Handlers: process, not kept apart from the server') as string,
    })
    expect(bare.out).toContain('reached  read the environment of the server')
    expect(bare.out).toContain('preset production refuses them like this')
    const strict = await doctor(door.dir, '--preset', 'production')
    expect(strict).toMatchObject({
      code: 1,
      out: expect.stringContaining('nothing on this machine keeps it apart') as string,
    })
  })
})
