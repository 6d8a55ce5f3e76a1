import { randomBytes } from 'node:crypto'
import { dbPglite } from '@amodal/plugin-db-pglite'
import { dbPostgres } from '@amodal/plugin-db-postgres'
import {
  Commands,
  Database,
  isObject,
  silentLogger,
  unwrap,
  use,
  type JsonObject,
} from '@amodal/sdk'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startPostgres, type Postgres } from '../../../tests/support/postgres.ts'
import {
  guardedServer,
  type GuardedOptions,
  type GuardedServer,
} from '../../../tests/support/guarded-mcp-server.ts'
import { agentWith, until, type TestAgent } from './support/agent.ts'
import { listening } from './support/listening.ts'

async function guarded(options?: GuardedOptions): Promise<GuardedServer> {
  const server = await guardedServer(options)
  onTestFinished(() => server.close())
  return server
}

const to = ({ url }: GuardedServer, more: JsonObject = {}): JsonObject => ({
  remote: { transport: 'http', url, trust: true, ...more },
})
const connectionsOf = (server: GuardedServer, more?: JsonObject) =>
  to(server, more) as Readonly<Record<string, JsonObject>>
const inspected = async (agent: TestAgent): Promise<JsonObject> =>
  (await agent.get('/inspect/mcp/remote')).body
const authorizationOf = async (agent: TestAgent): Promise<JsonObject> => {
  const { authorization } = await inspected(agent)
  return authorization !== undefined && isObject(authorization) ? authorization : {}
}
const ready = (agent: TestAgent): Promise<true> =>
  until(async () => (await inspected(agent))['status'] === 'ready')
async function signedIn(agent: TestAgent): Promise<void> {
  await until(async () => (await authorizationOf(agent))['status'] === 'sign_in_needed')
  const back = await agent.signIn('remote')
  expect(await back.text()).toBe('You are signed in. You can close this page.\n')
  await ready(agent)
}

describe('a server that wants a person to sign in', () => {
  it('says so, is used once somebody has, and is forgotten when they sign out', async () => {
    const server = await guarded()
    const agent = await agentWith({ connections: connectionsOf(server) })
    await agent.tools()
    expect(await inspected(agent)).toMatchObject({
      status: 'failed',
      error: 'somebody has to sign in: amodal ops connections login remote',
      authorization: { status: 'sign_in_needed', lasting: false },
    })
    await signedIn(agent)
    expect(await authorizationOf(agent)).toMatchObject({
      status: 'signed_in',
      issuer: server.issuer,
      scope: 'read',
      refreshes: true,
    })
    expect((await agent.call('remote__read')).result).toContain('scope read')

    const out = await fetch(`${agent.url}/connections/remote/login`, { method: 'DELETE' })
    expect(out.status).toBe(204)
    expect(server.revoked).toEqual([server.tokens.at(-1)])
    const { error } = await agent.call('remote__read')
    expect(error).toContain('somebody has to sign in')
  })

  it('gets a return once, and none that it has not begun', async () => {
    const server = await guarded()
    const agent = await agentWith({ connections: connectionsOf(server) })
    await agent.tools()
    const begun = await fetch(`${agent.url}/connections/remote/login`, { method: 'POST' })
    const { url } = (await begun.json()) as { readonly url: string }
    const page = await fetch(url, { redirect: 'manual' })
    const back = page.headers.get('location') ?? ''
    expect(new URL(back).pathname).toBe('/connections/callback')

    const foreign = new URL(back)
    foreign.searchParams.set('state', randomBytes(32).toString('base64url'))
    expect((await fetch(foreign)).status).toBe(404)
    expect((await fetch(back)).status).toBe(200)
    expect((await fetch(back)).status).toBe(404)
    expect(server.grants).toEqual(['authorization_code'])
  })

  it('sends nobody elsewhere, neither by a redirect nor by its metadata', async () => {
    const server = await guarded()
    const agent = await agentWith({ connections: connectionsOf(server) })
    await agent.tools()
    const begun = await fetch(`${agent.url}/connections/remote/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uri: 'https://evil.example/callback' }),
    })
    expect(begun.status).toBe(400)
    expect(await begun.text()).toContain('only an http address of the own machine')
    expect(server.clients).toEqual([])
  })

  it('refuses an authorization server on a private network that no file of the agent names', async () => {
    const elsewhere = await guarded()
    const server = await guarded({ issuer: elsewhere.issuer })
    const agent = await agentWith({ connections: connectionsOf(server) })
    await agent.tools()
    const begun = await fetch(`${agent.url}/connections/remote/login`, { method: 'POST' })
    expect(begun.status).toBeGreaterThanOrEqual(400)
    expect(await begun.text()).toMatch(/OUTBOUND_FAILED|TARGET_ERROR/)
    expect(elsewhere.clients).toEqual([])
  })

  it('is asked for more rights once a call wants them', async () => {
    const server = await guarded({ writeScope: 'write' })
    const agent = await agentWith({ connections: connectionsOf(server) })
    await agent.tools()
    await signedIn(agent)
    const { error } = await agent.call('remote__write')
    expect(error).toContain('it wants more rights (read write)')
    expect(await authorizationOf(agent)).toMatchObject({
      status: 'more_rights_needed',
      missing_scope: 'read write',
    })
    expect((await agent.signIn('remote')).status).toBe(200)
    expect((await agent.call('remote__write')).result).toContain('scope read write')
    // what was registered serves again
    expect(server.clients).toHaveLength(1)
  })
})

describe('server-everything behind a door of its own', () => {
  it.each(['sse', 'streamableHttp'] as const)(
    '%s: is used once somebody has signed in',
    async (way) => {
      const { url } = await listening(way)
      const server = await guarded({ upstream: url })
      const agent = await agentWith({
        connections: connectionsOf(server, { transport: way === 'sse' ? 'sse' : 'http' }),
      })
      await agent.tools()
      await signedIn(agent)
      const echo = await agent.call('remote__echo', { message: 'hello' })
      expect(echo.result).toBe('Echo: hello')
      server.expire()
      const again = await agent.call('remote__echo', { message: 'again' })
      expect(again.result).toBe('Echo: again')
      expect(server.grants).toEqual(['authorization_code', 'refresh_token'])
    },
  )
})

describe('tokens', () => {
  it('are refreshed before they end and after they were taken back, and end with a new login', async () => {
    const server = await guarded({ life: 1 })
    const agent = await agentWith({ connections: connectionsOf(server) })
    await agent.tools()
    await signedIn(agent)
    await until(async () => {
      await agent.call('remote__read')
      return server.grants.includes('refresh_token')
    })
    server.expire()
    expect((await agent.call('remote__read')).result).toContain('scope read')
    server.revoke()
    expect((await agent.call('remote__read')).error).toContain('somebody has to sign in')
    expect(await authorizationOf(agent)).toMatchObject({ status: 'sign_in_needed' })
    await signedIn(agent)
    expect((await agent.call('remote__read')).result).toContain('scope read')
  })

  it('are shown to nobody: neither in results, nor in inspect, nor to the model, nor in the table', async () => {
    const server = await guarded({ echoes: true })
    const agent = await agentWith({
      connections: connectionsOf(server),
      plugins: [use(dbPglite, { dataDir: 'memory://' })],
    })
    await agent.tools()
    await signedIn(agent)
    const { events, result } = await agent.call('remote__read')
    expect(result).toContain('sent with [MASKED]')
    const rows = unwrap(
      await agent.kernel.scope
        .get(Database)
        .run(
          { sql: 'select connect_mcp_secret::text as row from connect_mcp_secret', parameters: [] },
          AbortSignal.timeout(30_000),
        ),
      ({ message }) => message,
    )
    expect(rows).toHaveLength(1)
    const seen = JSON.stringify([
      events,
      await inspected(agent),
      (await agent.get('/inspect/context')).body,
      agent.told(),
      rows,
    ])
    expect(server.tokens).toHaveLength(2)
    for (const token of server.tokens) expect(seen).not.toContain(token)
  })
})

describe('on one Postgres', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  async function instances(server: GuardedServer): Promise<() => Promise<TestAgent>> {
    const url = await postgres.createDatabase()
    const env = { AMODAL_MASTER_KEY: randomBytes(32).toString('base64url') }
    return () =>
      agentWith({
        env,
        connections: connectionsOf(server),
        plugins: [use(dbPostgres, { url, max: 3 })],
      })
  }

  it('a login outlives the process that it was made in', async () => {
    const server = await guarded()
    const start = await instances(server)
    const first = await start()
    await first.tools()
    await signedIn(first)
    await first.close()
    const second = await start()
    await second.tools()
    await ready(second)
    expect((await second.call('remote__read')).result).toContain('scope read')
    expect(await authorizationOf(second)).toMatchObject({ status: 'signed_in', lasting: true })
    expect(server.grants).toEqual(['authorization_code'])
  })

  it('instances share a login, also one that comes back to another of them, and refresh one at a time', async () => {
    const server = await guarded({ slow: 500 })
    const start = await instances(server)
    const [first, second] = [await start(), await start()]
    await Promise.all([first.tools(), second.tools()])
    await until(async () => (await authorizationOf(first))['status'] === 'sign_in_needed')
    const begun = await fetch(`${first.url}/connections/remote/login`, { method: 'POST' })
    const { url } = (await begun.json()) as { readonly url: string }
    const page = await fetch(url, { redirect: 'manual' })
    const back = new URL(page.headers.get('location') ?? '')
    expect((await fetch(new URL(back.pathname + back.search, second.url))).status).toBe(200)
    await Promise.all([ready(first), ready(second)])

    server.expire()
    const turns = await Promise.all(
      [first, second, first, second].map((agent) => agent.call('remote__read')),
    )
    expect(turns.map(({ error }) => error)).toEqual([undefined, undefined, undefined, undefined])
    expect(server.grants).toEqual(['authorization_code', 'refresh_token'])
  })
})

describe('a server with an address of its own', () => {
  it('is a client by its metadata document, and browsers come back to it', async () => {
    const server = await guarded()
    const agent = await agentWith({
      connections: connectionsOf(server),
      config: { publicUrl: 'https://agent.example.com' },
    })
    await agent.tools()
    const begun = await fetch(`${agent.url}/connections/remote/login`, { method: 'POST' })
    expect(await begun.json()).toMatchObject({
      redirect_uri: 'https://agent.example.com/connections/callback',
      expires_in: 600,
    })
    const { status, body } = await agent.get('/connections/client-metadata.json')
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        client_id: 'https://agent.example.com/connections/client-metadata.json',
        redirect_uris: [
          'https://agent.example.com/connections/callback',
          'http://127.0.0.1/callback',
        ],
        token_endpoint_auth_method: 'none',
      }),
    ])
  })
})

describe('amodal ops connections', () => {
  it('signs in at a server that runs, with a page of the own machine, and out of it', async () => {
    const server = await guarded()
    const agent = await agentWith({ connections: connectionsOf(server) })
    await agent.tools()
    const printed: string[] = []
    const run = async (...words: readonly string[]): Promise<number> => {
      const command = agent.kernel.current().registry(Commands).get('ops connections')
      if (!command) throw new Error('there is no such command')
      return command.run({
        options: { url: agent.url },
        arguments: words,
        dir: agent.dir,
        env: {},
        print: (line) => {
          printed.push(line)
          // the browser of whoever reads it
          const address = /^https?:\/\/\S+authorize\S+$/m.exec(line)?.[0]
          if (address !== undefined) void fetch(address)
        },
        write: () => undefined,
        fail: (line) => printed.push(line),
        input: (async function* () {})(),
        log: silentLogger,
        signal: AbortSignal.timeout(60_000),
        start: () => Promise.reject(new Error('it was to ask the server')),
      })
    }
    expect(await run('login', 'remote')).toBe(0)
    expect(printed.at(-1)).toBe(
      'You are signed in to "remote", with read. It is kept in memory: there is no database that would keep it.',
    )
    await ready(agent)
    expect((await agent.call('remote__read')).result).toContain('scope read')
    expect(await run('logout', 'remote')).toBe(0)
    expect(await run('login', 'nobody')).toBe(1)
    expect(printed.at(-1)).toContain('there is no such MCP server')
    expect(await run('dance')).toBe(2)
  })
})

describe('a spec with credentials', () => {
  it.each([
    [{ clientSecret: 's3cret-value' }, 'auth.clientId: is missing'],
    [{ clientId: 'me', clientSecret: 's3cret-value' }, 'auth.issuer: is missing'],
    [{ clientId: 'me', privateKey: 'env:KEY', issuer: 'https://a.example' }, 'auth.algorithm'],
    [{ grant: 'client_credentials' }, 'auth.clientSecret: is missing'],
  ])('%j says what is missing', async (auth, message) => {
    const agent = await agentWith({
      connections: {
        remote: {
          transport: 'http',
          url: 'https://mcp.example.com',
          auth: { type: 'oauth2', ...auth },
        },
      },
    })
    expect(await inspected(agent)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(message) as string,
    })
  })

  it('sends them to no other authorization server than the one it names', async () => {
    const server = await guarded()
    const agent = await agentWith({
      connections: connectionsOf(server, {
        auth: {
          type: 'oauth2',
          clientId: 'me',
          clientSecret: 's3cret-value',
          grant: 'client_credentials',
          issuer: 'https://id.example.com',
        },
      }),
    })
    await agent.tools()
    await until(async () => (await inspected(agent))['status'] === 'failed')
    expect(await inspected(agent)).toMatchObject({
      error: expect.stringContaining('https://id.example.com') as string,
    })
    expect(server.grants).toEqual([])
  })
})
