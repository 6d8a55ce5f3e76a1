import { use, type KnowledgeDocument, type Skill } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import roles from '@amodal/plugin-roles'
import { expect, describe, test } from 'vitest'
import { connect, keyOf, serving, until } from './support/serving.ts'

const REVISIONS = {
  '2025-11-25': { versionNegotiation: { mode: 'legacy' } },
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
} as const

const document = (name: string, body = `# ${name}`): KnowledgeDocument => ({
  name,
  title: name.toUpperCase(),
  body,
  file: `knowledge/${name}.md`,
})
const triage: Skill = {
  name: 'triage',
  description: 'Sorts what comes in.',
  trigger: 'when something comes in',
  body: 'First, look at it.',
  file: 'skills/triage/SKILL.md',
}

describe.each(['2025-11-25', '2026-07-28'] as const)('what is read, on %s', (revision) => {
  const options = REVISIONS[revision]

  test('knowledge is a list of resources, in pages, and can be completed', async () => {
    const names = ['a', 'b', 'folder/c', 'd']
    const server = await serving({
      knowledge: names.map((name) => document(name)),
      config: { pageSize: 3 },
    })
    const client = await connect(server, options)
    const first = await client.request({ method: 'resources/list' })
    expect(first.resources).toHaveLength(3)
    expect(first.nextCursor).toBeDefined()
    const second = await client.request({
      method: 'resources/list',
      params: { cursor: first.nextCursor },
    })
    expect(second.resources).toMatchObject([{ uri: 'amodal://knowledge/d', title: 'D' }])
    await expect(
      client.request({ method: 'resources/list', params: { cursor: 'forged' } }),
    ).rejects.toThrow(/cursor/)
    const { contents } = await client.readResource({ uri: 'amodal://knowledge/folder/c' })
    expect(contents).toEqual([
      { uri: 'amodal://knowledge/folder/c', mimeType: 'text/markdown', text: '# folder/c' },
    ])
    await expect(client.readResource({ uri: 'amodal://knowledge/%' })).rejects.toThrow()
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ name }) => name)).toEqual(['knowledge', 'session'])
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'amodal://knowledge/{+name}' },
      argument: { name: 'name', value: 'fol' },
    })
    expect(completion.values).toEqual(['folder/c'])
  })

  test('skills are prompts', async () => {
    const server = await serving({ skills: [triage] })
    const client = await connect(server, options)
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'triage' }])
    const { messages } = await client.getPrompt({
      name: 'triage',
      arguments: { request: 'sort these' },
    })
    expect(JSON.stringify(messages)).toMatch(/First, look at it\..*sort these/)
    await expect(client.getPrompt({ name: 'other' })).rejects.toThrow(/no prompt/)
  })

  test('a session is a resource of those who may read it', async () => {
    const server = await serving({ script: reply.text('Hello.') })
    const client = await connect(server, options)
    const asked = await client.callTool({ name: 'ask', arguments: { message: 'Hi' } })
    const { session_id } = asked.structuredContent as { readonly session_id: string }
    const uri = `amodal://sessions/${session_id}`
    const { contents } = await client.readResource({ uri })
    expect(JSON.stringify(contents)).toContain('Hello.')
    const other = await connect(server, options, 'bolt')
    await expect(other.readResource({ uri })).rejects.toThrow(/not found/i)
    const chat = await connect(server, options, 'chat')
    await expect(chat.readResource({ uri })).rejects.toThrow(/not found/i)
  })

  test('clients hear when the files of the agent are other ones', async () => {
    const server = await serving({ knowledge: [document('a')], skills: [triage] })
    const heard: string[] = []
    const client = await connect(server, options, 'acme', (one) => {
      for (const method of [
        'notifications/tools/list_changed',
        'notifications/prompts/list_changed',
        'notifications/resources/list_changed',
        'notifications/resources/updated',
      ] as const)
        one.setNotificationHandler(method, () => void heard.push(method))
    })
    const uri = 'amodal://knowledge/a'
    if (revision === '2025-11-25') await client.subscribeResource({ uri })
    else
      await client.listen({
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: [uri],
      })
    await until(async () => {
      await server.write({ knowledge: [document('a', `# changed ${heard.length}`)] })
      return new Set(heard).size === 4
    })
  })

  test('what a role may not know of is not there', async () => {
    const server = await serving({
      tools: [],
      skills: [triage],
      files: [
        {
          path: 'roles/guest.json',
          text: JSON.stringify({ skills: [], tools: [] }),
        },
      ],
      plugins: [use(roles, { defaultRole: 'guest' })],
      config: { expose: ['*'] },
    })
    const client = await connect(server, options)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).not.toContain('ask_user')
    expect((await client.listPrompts()).prompts).toEqual([])
  })
})

describe('the door', () => {
  const initialize = (url: string, headers: Readonly<Record<string, string>>) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'raw', version: '1' },
        },
      }),
    })
  const bearer = (key: Parameters<typeof keyOf>[0]) => ({ authorization: `Bearer ${keyOf(key)}` })

  test('nobody gets in without a credential that is good for it', async () => {
    const server = await serving({})
    const stranger = await initialize(server.url, {})
    expect(stranger.status).toBe(401)
    expect(stranger.headers.get('www-authenticate')).toBe('Bearer realm="amodal"')
    expect((await initialize(server.url, bearer('none'))).status).toBe(403)
    const page = { ...bearer('acme'), origin: 'https://evil.example.com' }
    expect((await initialize(server.url, page)).status).toBe(403)
    const metadata = await fetch(`${server.url}/.well-known/oauth-protected-resource/mcp`)
    expect(metadata.status).toBe(404)
  })

  test('a connection belongs to who has begun it', async () => {
    const server = await serving({})
    const begun = await initialize(server.url, bearer('acme'))
    const id = begun.headers.get('mcp-session-id') ?? ''
    expect(id).toMatch(/^[\w-]{36}$/)
    const ping = (key: Parameters<typeof keyOf>[0], session: string) =>
      fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: {
          ...bearer(key),
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-session-id': session,
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' }),
      })
    expect((await ping('acme', id)).status).toBe(200)
    const theirs = await ping('bolt', id)
    const unknown = await ping('bolt', crypto.randomUUID())
    expect([theirs.status, await theirs.text()]).toEqual([404, await unknown.text()])
    expect((await ping('chat', id)).status).toBe(404)
  })

  test('no more connections are kept than may be', async () => {
    const server = await serving({ config: { connections: { most: 2 } } })
    const ids: string[] = []
    for (let at = 0; at < 3; at++) {
      const { headers } = await initialize(server.url, bearer('acme'))
      ids.push(headers.get('mcp-session-id') ?? '')
    }
    const statuses = await Promise.all(
      ids.map(async (id) => {
        const answer = await fetch(`${server.url}/mcp`, {
          method: 'DELETE',
          headers: {
            ...bearer('acme'),
            'mcp-session-id': id,
            'mcp-protocol-version': '2025-11-25',
          },
        })
        return answer.status
      }),
    )
    expect(statuses).toEqual([404, 200, 200])
  })

  test('where an issuer gives tokens, clients learn which', async () => {
    const issuer = 'https://id.example.com'
    const server = await serving({
      auth: { jwt: { issuer, audience: 'amodal', jwksUrl: `${issuer}/jwks.json` } },
    })
    const stranger = await initialize(server.url, {})
    const address = `${server.url}/.well-known/oauth-protected-resource/mcp`
    expect(stranger.headers.get('www-authenticate')).toBe(
      `Bearer realm="amodal", resource_metadata="${address}"`,
    )
    const metadata = await fetch(address)
    expect(await metadata.json()).toMatchObject({
      resource: `${server.url}/mcp`,
      authorization_servers: [issuer],
    })
  })
})

test('a stream that was cut goes on behind the last event', async () => {
  const server = await serving({ script: reply.text(['One', 'two', 'three'], { pace: 50 }) })
  const headers = {
    authorization: `Bearer ${keyOf('acme')}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': '2025-11-25',
  }
  const post = (body: object, more: Readonly<Record<string, string>> = {}) =>
    fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    })
  const begun = await post({
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    },
  })
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' }
  const asked = await post(
    {
      id: 2,
      method: 'tools/call',
      params: { name: 'ask', arguments: { message: 'Go' }, _meta: { progressToken: 1 } },
    },
    session,
  )
  const text = await readUntil(asked, '"progress"')
  const last = [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? ''
  let rest: Response | undefined
  await until(async () => {
    rest = await fetch(`${server.url}/mcp`, {
      headers: { ...headers, ...session, 'last-event-id': last },
    })
    // the server may not have seen yet that the reader is gone
    return rest.status !== 409
  })
  const more = await readUntil(rest, '"structuredContent"')
  expect(more).toContain('Onetwothree')
})

/** Reads a stream until a word is in it, and leaves. */
async function readUntil(response: Response | undefined, word: string): Promise<string> {
  let text = ''
  for await (const chunk of response?.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.includes(word)) return text
  }
  throw new Error(`the stream ended without ${word}: ${text}`)
}
