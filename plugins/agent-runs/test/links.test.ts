/** Links to artifacts for people without a credential: what they open, and what they do not. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import { reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { BASE, serving, type Serving } from './support/serving.ts'

const script = reply.toolsThenText(
  {
    name: 'artifacts_create',
    arguments: { type: 'post', title: 'Käse & "Brot"/..', content_markdown: '<b>Cats</b> purr.' },
  },
  'Written.',
)

async function written(server: Serving): Promise<string> {
  const { result_artifact_id: id } = await server.until(await server.run('write'), 'complete')
  return String(id)
}

const link = async (server: Serving, id: string, asked = {}): Promise<string> => {
  const { status, body } = await server.post(`/artifacts/${id}/link`, asked)
  expect(status).toBe(200)
  return String(body['url'])
}

/** What somebody gets who has nothing but the address. */
const open = async (url: string) => {
  const response = await fetch(url)
  const headers = [...response.headers].filter(([name]) => name !== 'date')
  return { status: response.status, headers, text: await response.text() }
}

/** The same address with another part of its token. */
const changed = (url: string, change: (payload: string, signature: string) => string): string =>
  url.replace(/([\w-]+)\.([\w-]+)$/, (_all, payload: string, signature: string) =>
    change(payload, signature),
  )
const withClaim = (url: string, change: (claim: unknown[]) => unknown[]): string =>
  changed(url, (payload, signature) => {
    const claim = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[]
    const other = Buffer.from(JSON.stringify(change(claim))).toString('base64url')
    return `${other}.${signature}`
  })

test('a link is a download for anybody, and nothing that a browser would show or run', async () => {
  const server = await serving({ script })
  const id = await written(server)
  const made = await server.post(`/artifacts/${id}/link`, { expires_in_seconds: 3_600 })
  expect(made.body).toMatchObject({ success: true, id, version: 1 })
  const left = Date.parse(String(made.body['expires_at'])) - Date.now()
  expect(left).toBeGreaterThan(3_500_000)
  expect(left).toBeLessThanOrEqual(3_600_000)
  const url = String(made.body['url'])
  expect(url).toContain(`${server.url}${BASE}/artifact-links/`)
  const response = await fetch(url)
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/markdown; charset=utf-8',
    'content-disposition': `attachment; filename="K_se & Brot ...md"; filename*=UTF-8''K%C3%A4se%20%26%20Brot%20...md`,
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
    'referrer-policy': 'no-referrer',
  })
  expect(await response.text()).toBe('<b>Cats</b> purr.')
  // A link is for its path alone, and is no credential for others.
  expect((await fetch(`${server.url}${BASE}/artifacts/${id}`)).status).toBe(401)
})

test('whatever is wrong with a link is answered as what does not exist, to the byte', async () => {
  const server = await serving({ script })
  const id = await written(server)
  const url = await link(server, id)
  const nothing = await open(`${server.url}${BASE}/artifact-links/unknown`)
  expect(nothing.status).toBe(404)
  const expired = await link(server, id, { expires_in_seconds: 1 })
  while ((await open(expired)).status === 200)
    await new Promise((resolve) => setTimeout(resolve, 100))
  const wrong: Readonly<Record<string, string>> = {
    expired,
    'another tenant': withClaim(url, ([, ...rest]) => ['bolt', ...rest]),
    'another artifact': withClaim(url, ([tenant, , ...rest]) => [tenant, 'art_other', ...rest]),
    'another version': withClaim(url, ([tenant, of, , expires]) => [tenant, of, 2, expires]),
    'more time': withClaim(url, ([tenant, of, version, expires]) => [
      tenant,
      of,
      version,
      Number(expires) + 1,
    ]),
    'no claim': changed(url, (_, signature) => `e30.${signature}`),
    'no signature': changed(url, (payload) => `${payload}.`),
    'no token': changed(url, () => ''),
    'a signature of another link': changed(
      url,
      (payload) => `${payload}.${/[\w-]+$/.exec(expired)?.[0] ?? ''}`,
    ),
    'another spelling of the signature': changed(url, (payload, signature) => {
      const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
      const place = last.indexOf(signature.at(-1) ?? '')
      return `${payload}.${signature.slice(0, -1)}${last[place ^ 1] ?? ''}`
    }),
    'more behind it': `${url}.x`,
    'a path below it': `${url}/x`,
    'a long token': `${url}${'x'.repeat(5_000)}`,
  }
  for (const [what, address] of Object.entries(wrong)) {
    expect(address, what).not.toBe(url)
    expect(await open(address), what).toEqual(nothing)
  }
  expect((await open(url)).status).toBe(200)
  const posted = await fetch(url, { method: 'POST' })
  expect(posted.status).toBe(404)
})

test('a link is made by those alone who may fetch the artifact, for as long as is allowed', async () => {
  const server = await serving({ script, config: { artifacts: { linkSeconds: 60 } } })
  const id = await written(server)
  const theirs = await server.post(`/artifacts/${id}/link`, {}, {}, 'bolt')
  expect(theirs.status).toBe(404)
  expect(theirs).toEqual(await server.post('/artifacts/art_unknown/link', {}, {}, 'bolt'))
  expect((await server.post(`/artifacts/${id}/link`, {}, {}, 'chat')).status).toBe(403)
  expect((await server.post(`/artifacts/${id}/link`, { version: 2 })).status).toBe(404)
  const long = await server.post(`/artifacts/${id}/link`, { expires_in_seconds: 61 })
  expect(long.status).toBe(400)
  expect(long.text).toContain('at most 60')
})

test('a link of one server is nothing to another with another master key', async () => {
  const [one, other] = [await serving({ script }), await serving({ script })]
  await written(other)
  const url = await link(one, await written(one))
  expect((await open(url.replace(one.url, other.url))).status).toBe(404)
})

test('the webhook of the end has a link where it was asked for', async () => {
  const heard: string[] = []
  const target = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      heard.push(text)
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(target, 'listening')
  onTestFinished(() => {
    target.close()
    target.closeAllConnections()
  })
  const address = target.address()
  if (typeof address !== 'object' || !address) throw new Error('it does not listen')
  const origin = `http://127.0.0.1:${address.port}`
  const webhooks = { secret: 'env:RUNS_SECRET', privateOrigins: [origin] }
  const env = { RUNS_SECRET: `whsec_${Buffer.from('x'.repeat(32)).toString('base64')}` }
  const publicUrl = 'https://agents.example.com'
  const server = await serving({ script, env, config: { webhooks, artifacts: { publicUrl } } })
  const hook = { webhook_url: `${origin}/hook` }
  await server.until(await server.run('write', hook), 'complete')
  await server.until(
    await server.run('write', { ...hook, webhook_artifact_link: true }),
    'complete',
  )
  while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
  const urls = heard.flatMap((text) => /"result_artifact_url":"([^"]+)"/.exec(text)?.[1] ?? [])
  expect(urls).toHaveLength(1)
  expect(urls[0]).toContain(`${publicUrl}${BASE}/artifact-links/`)
  expect((await open(String(urls[0]).replace(publicUrl, server.url))).text).toContain('purr')

  const without = await serving({ script, env, config: { webhooks } })
  const refused = await without.post('/agents/run', {
    profile_id: 'agent',
    task: 'write',
    ...hook,
    webhook_artifact_link: true,
  })
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('artifacts.publicUrl')
})
