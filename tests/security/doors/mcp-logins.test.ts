import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import {
  guardedServer,
  type GuardedOptions,
  type GuardedServer,
} from '../../support/guarded-mcp-server.ts'
import { openDoor, type Door } from '../support/door.ts'
import { as, keysOf } from '../support/people.ts'
import { told } from '../support/told-script.ts'

const LONG = 120_000

interface Place extends AsyncDisposable {
  readonly door: Door
  readonly server: GuardedServer
}

/** The server of a preset with one MCP server that wants somebody to sign in, who has. */
async function signedIn(
  options: GuardedOptions,
  env: Readonly<Record<string, string>> = {},
  headers: Record<string, string> = {},
): Promise<Place> {
  const server = await guardedServer(options)
  const door = await openDoor({
    script: told,
    env,
    files: {
      'connections/remote/spec.json': {
        protocol: 'mcp',
        transport: 'http',
        url: server.url,
        trust: true,
      },
    },
  })
  await expect
    .poll(() => authorization(door, headers), { timeout: LONG })
    .toMatchObject({ status: 'sign_in_needed' })
  const { body } = await door.post('/connections/remote/login', {}, headers)
  const page = await fetch(body['url'] as string, { redirect: 'manual' })
  const back = new URL(page.headers.get('location') ?? '')
  // a browser, without a credential
  expect((await fetch(new URL(back.pathname + back.search, door.url))).status).toBe(200)
  await expect
    .poll(async () => (await door.get('/inspect/mcp/remote', headers)).body['status'], {
      timeout: LONG,
    })
    .toBe('ready')
  return {
    door,
    server,
    async [Symbol.asyncDispose]() {
      await door[Symbol.asyncDispose]()
      server.close()
    },
  }
}

const authorization = async (door: Door, headers: Record<string, string> = {}): Promise<unknown> =>
  (await door.get('/inspect/mcp/remote', headers)).body['authorization']

function read(door: Door): void {
  door.model.play((request) =>
    request.messages.at(-1)?.role === 'tool'
      ? reply.text('Done.')
      : reply.toolCalls({ name: 'remote__read', arguments: {} }),
  )
}

test(
  'what an MCP server has given to somebody who signed in stands nowhere, also if it says it itself',
  async () => {
    await using place = await signedIn({ echoes: true })
    const { door, server } = place
    read(door)
    const first = await door.say('Read.')
    expect(first.text).toContain('[MASKED]')
    server.expire() // so that it is refreshed
    read(door)
    const second = await door.say('Read again.')
    expect(second.text).toContain('[MASKED]')
    expect(server.grants).toEqual(['authorization_code', 'refresh_token'])
    const paths = ['/inspect/mcp/remote', '/inspect/connections/remote', '/inspect/context']
    const seen = [
      first.text,
      second.text,
      ...(await Promise.all(paths.map(async (path) => (await door.get(path)).text))),
      (await door.get('/sessions')).text,
      door.log.join('\n'),
      await door.dump(),
      JSON.stringify(door.model.requests.map(({ body }) => body)),
    ].join('\n')
    expect(server.tokens).toHaveLength(4)
    for (const token of server.tokens) expect(seen).not.toContain(token)
  },
  LONG,
)

test(
  'nobody begins a login or takes one back without a credential that is good for it, and a return is good once',
  async () => {
    const env = keysOf({ ada: {}, bob: { scopes: ['chat', 'inspect'] } })
    await using place = await signedIn({}, env, as('ada'))
    const { door } = place
    for (const [method, path] of [
      ['POST', '/connections/remote/login'],
      ['DELETE', '/connections/remote/login'],
      ['POST', '/connections/remote/login/return'],
    ] as const) {
      const url = new URL(path, door.url)
      expect((await fetch(url, { method })).status).toBe(401)
      expect((await fetch(url, { method, headers: as('bob') })).status).toBe(403)
    }
    for (const state of ['', 'x', 'a'.repeat(43)]) {
      const back = new URL(`/connections/callback?state=${state}&code=1`, door.url)
      expect((await fetch(back)).status).toBe(404)
    }
    expect(await authorization(door, as('ada'))).toMatchObject({ status: 'signed_in' })
  },
  LONG,
)
