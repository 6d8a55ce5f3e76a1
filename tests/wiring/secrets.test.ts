import { startFolder } from '@amodal/presets'
import dbPglite from '@amodal/plugin-db-pglite'
import logJson from '@amodal/plugin-log-json'
import modelFailover from '@amodal/plugin-model-failover'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { Database, unwrap, use, type Kernel } from '@amodal/sdk'
import { inspectionOf } from '@amodal/sdk/inspection'
import { reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentFolder, type AgentFolder } from '../support/agent-folder.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { runCommand } from '../support/command.ts'

/** Values that may not leave, by the way they came in. */
const PLANTED = {
  MODEL_KEY: 'sk-planted-4f9a1c77e2',
  HEADER_KEY: 'hdr-planted-90b2d6aa51',
  FILE_KEY: 'env-planted-7712cc0e94',
  DB_PASSWORD: 'pw-planted-33fe18d0b9',
} as const

const spellings = (secret: string): readonly string[] => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
  encodeURIComponent(secret),
]
const leaksIn = (text: string): readonly string[] =>
  Object.entries(PLANTED).flatMap(([name, secret]) =>
    spellings(secret).some((one) => text.includes(one)) ? [name] : [],
  )

let model: ModelServer
let postgres: Postgres
beforeAll(async () => {
  ;[model, postgres] = await Promise.all([
    startModelServer({ script: reply.text('Hello.') }),
    startPostgres(),
  ])
})
afterAll(async () => {
  await Promise.all([model.close(), postgres.stop()])
})

const files = () => ({
  'amodal.json': JSON.stringify({
    name: 'keeper',
    userContext: 'You keep secrets.',
    models: {
      main: {
        provider: 'openai-compatible',
        model: 'scripted',
        baseUrl: model.url,
        apiKey: 'env:MODEL_KEY',
        headers: { 'x-second-key': 'env:HEADER_KEY', 'x-third-key': 'env:FILE_KEY' },
      },
    },
  }),
  '.env': `FILE_KEY=${PLANTED.FILE_KEY}\n`,
  'stores/notes.json': JSON.stringify({
    name: 'notes',
    entity: {
      name: 'Note',
      key: '{id}',
      schema: { id: { type: 'string' }, text: { type: 'string' } },
    },
  }),
})
const keys = { MODEL_KEY: PLANTED.MODEL_KEY, HEADER_KEY: PLANTED.HEADER_KEY }

describe.each(['dev', 'production'] as const)('preset %s: a planted secret', (preset) => {
  let folder: AgentFolder
  let kernel: Kernel
  let url: string
  let close: () => Promise<void>
  const lines: string[] = []
  const streams: string[] = []

  beforeAll(async () => {
    folder = await agentFolder(files())
    const database = (await postgres.createDatabase()).replace(
      'postgres@',
      `postgres:${PLANTED.DB_PASSWORD}@`,
    )
    const started = await startFolder({
      dir: folder.dir,
      preset,
      port: 0,
      env: { ...keys, DATABASE_URL: database },
      entries: [
        use(modelFailover, { baseMs: 20 }),
        use(logJson, {
          level: 'trace',
          target: { write: (line: string) => void lines.push(line) },
        }),
        ...(preset === 'dev' ? [use(dbPglite, { dataDir: 'memory://' })] : []),
      ],
    })
    const running = unwrap(started, (error) => JSON.stringify(error))
    kernel = running.kernel
    close = running.close
    const address = kernel.scope.get(HttpApp).address()
    url = `http://127.0.0.1:${address?.port}`

    const tell = async (message: string): Promise<void> => {
      const response = await fetch(`${url}/chat/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message }),
      })
      streams.push(await response.text())
    }
    await tell('Hi')
    // Providers like to repeat the key that they refuse, and whoever stands between repeats whole
    // requests.
    model.play(
      reply.httpError(401, {
        message: `Incorrect API key provided: ${PLANTED.MODEL_KEY}; headers: x-second-key=${encodeURIComponent(PLANTED.HEADER_KEY)}`,
      }),
    )
    await tell('And again')
    model.play(
      reply.text('Hal', {
        ending: {
          kind: 'error',
          after: 1,
          error: { message: `bad token ${Buffer.from(PLANTED.FILE_KEY).toString('base64')}` },
        },
      }),
    )
    await tell('And once more')
    model.play(
      reply.toolsThenText(
        { name: 'store_notes', arguments: { id: 'n1', text: 'harmless' } },
        'Kept.',
      ),
    )
    await tell('Keep a note')
    model.play(reply.text('Hello.'))
  })
  afterAll(async () => {
    await close()
    await folder.remove()
  })

  test('went where it belongs', () => {
    expect(model.requests.at(-1)?.headers).toMatchObject({
      authorization: `Bearer ${PLANTED.MODEL_KEY}`,
      'x-second-key': PLANTED.HEADER_KEY,
      'x-third-key': PLANTED.FILE_KEY,
    })
    expect(streams.filter((text) => text.includes('event: error'))).toHaveLength(2)
    expect(streams.filter((text) => text.includes('event: done'))).toHaveLength(4)
  })

  test('is in no event', () => expect(leaksIn(streams.join('\n'))).toEqual([]))

  test('is in no row of the database', async () => {
    const signal = AbortSignal.timeout(10_000)
    const database = kernel.scope.get(Database)
    const rows = async (sql: string) =>
      unwrap(await database.run({ sql, parameters: [] }, signal), ({ message }) => message)
    const tables = (await rows("select tablename from pg_tables where schemaname = 'public'")).map(
      (row) => String(row['tablename']),
    )
    expect(tables).toEqual(
      expect.arrayContaining([
        'sessions_journal',
        'sessions_lane',
        'sessions_inbox',
        'stores_database_document',
      ]),
    )
    let kept = ''
    for (const table of tables) kept += JSON.stringify(await rows(`select t::text from ${table} t`))
    expect(kept).toContain('harmless')
    expect(leaksIn(kept)).toEqual([])
  })

  test('is in no line of the log, at its loudest', () => {
    expect(lines.length).toBeGreaterThan(5)
    expect(leaksIn(lines.join('\n'))).toEqual([])
  })

  test.each([
    '/health',
    '/inspect/context',
    '/inspect/health',
    '/inspect/kernel',
    '/inspect/kernel?format=text',
    '/inspect/kernel?format=mermaid',
    '/sessions',
    '/sessions/history',
    '/api/stores',
    '/api/stores/notes',
    '/api/stores/notes/n1',
    '/nothing',
  ])('is not at %s', async (path) => {
    const text = await (await fetch(url + path)).text()
    expect(text.length).toBeGreaterThan(10)
    expect(leaksIn(text)).toEqual([])
  })

  test('is in no session', async () => {
    const { sessions } = (await (await fetch(`${url}/sessions`)).json()) as {
      readonly sessions: readonly { readonly id: string }[]
    }
    expect(sessions).toHaveLength(4)
    for (const { id } of sessions) {
      expect(leaksIn(await (await fetch(`${url}/sessions/${id}`)).text())).toEqual([])
      expect(
        leaksIn(
          await (
            await fetch(`${url}/chat/stream/${id}`, { headers: { 'last-event-id': '0.0.0.0' } })
          ).text(),
        ),
      ).toEqual([])
    }
  })

  test('is not in what the kernel says of itself', () =>
    expect(leaksIn(JSON.stringify(inspectionOf(kernel)))).toEqual([]))

  test.each([
    ['inspect'],
    ['inspect', '--json'],
    ['inspect', '--prompt'],
    ['inspect', '--plugins'],
    ['inspect', '--plugins', '--json'],
    ['inspect', '--mermaid'],
    ['validate'],
    ['validate', '--json'],
  ])('is not said by amodal %s %s %s', async (...argv) => {
    const { code, said: text } = await runCommand(
      [...argv.filter((word) => word !== undefined), '--dir', folder.dir, '--preset', preset],
      { env: keys },
    )
    expect(code).toBe(0)
    expect(text.length).toBeGreaterThan(50)
    expect(leaksIn(text)).toEqual([])
  })

  test.each([
    ['the database cannot be reached', `postgres://me:${PLANTED.DB_PASSWORD}@127.0.0.1:1/db`],
    ['its address is none', `postgres//me:${PLANTED.DB_PASSWORD}@127.0.0.1`],
  ])('is not in the error where %s', async (_what, DATABASE_URL) => {
    const manifest = {
      ...(JSON.parse(files()['amodal.json']) as object),
      stores: { backend: 'postgres', postgresUrl: 'env:DATABASE_URL' },
    }
    await using other = await agentFolder({ ...files(), 'amodal.json': JSON.stringify(manifest) })
    const { code, said: text } = await runCommand(
      ['dev', '--dir', other.dir, '--preset', preset, '--port', '0'],
      { env: { ...keys, DATABASE_URL, LOG_LEVEL: 'none' } },
    )
    expect(code).toBe(1)
    expect(leaksIn(text)).toEqual([])
  })
})
