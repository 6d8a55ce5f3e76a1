import { describe, expect, test } from 'vitest'
import { raw, serving } from './server.ts'
import { knowing, notes } from './admission-fixtures.ts'

describe('pages of other origins', () => {
  const APP = 'https://app.example.com'
  const cors = { cors: { origins: [APP], maxAgeSeconds: 60 } }
  const send = (
    port: number,
    method: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<string> =>
    raw(
      port,
      `${method} /notes HTTP/1.1\r\n${Object.entries({
        host: 'localhost',
        connection: 'close',
        ...headers,
      })
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
    )

  test('may call if they are listed, and read the response', async () => {
    await using server = await serving([knowing(), notes()], cors)
    const answer = (
      await send(server.port, 'GET', { origin: APP, authorization: 'ann' })
    ).toLowerCase()
    expect(answer).toMatch(/^http\/1.1 200/)
    for (const header of [
      `access-control-allow-origin: ${APP}`,
      'vary: origin',
      'cross-origin-resource-policy: cross-origin',
      'access-control-expose-headers: mcp-session-id, retry-after, www-authenticate',
    ])
      expect(answer).toContain(header)
    expect(answer).not.toContain('allow-credentials')
    const refused = (await send(server.port, 'GET', { origin: APP })).toLowerCase()
    expect(refused).toMatch(/^http\/1.1 401/)
    expect(refused).toContain(`access-control-allow-origin: ${APP}`)
  })

  test('send a preflight request without a credential', async () => {
    await using server = await serving([knowing(), notes()], cors)
    const answer = (
      await send(server.port, 'OPTIONS', {
        origin: APP,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      })
    ).toLowerCase()
    expect(answer).toMatch(/^http\/1.1 204/)
    // what the live state and stores are written with
    expect(answer).toMatch(/access-control-allow-headers: [^\r]*\bif-match, if-none-match\b/)
    for (const header of [
      `access-control-allow-origin: ${APP}`,
      'access-control-allow-headers: authorization, content-type,',
      'access-control-allow-methods: get, post',
      'access-control-max-age: 60',
    ])
      expect(answer).toContain(header)
    expect((await send(server.port, 'OPTIONS', { origin: APP })).toLowerCase()).toMatch(
      /^http\/1.1 401/,
    )
  })

  test.each([
    'https://evil.example',
    'null',
    'http://app.example.com',
    'https://app.example.com:444',
    'https://app.example.com.evil.example',
    `${APP}/`,
    'https://APP.example.com',
  ])('and others may not: %s', async (origin) => {
    await using server = await serving([knowing(), notes()], cors)
    for (const answer of [
      await send(server.port, 'GET', { origin, authorization: 'ann' }),
      await send(server.port, 'OPTIONS', { origin, 'access-control-request-method': 'POST' }),
    ]) {
      expect(answer).toMatch(/^HTTP\/1.1 403.*FORBIDDEN_ORIGIN/s)
      expect(answer.toLowerCase()).not.toContain('access-control-allow-origin')
    }
  })

  test('get no CORS headers if none are listed', async () => {
    await using server = await serving([knowing(), notes()])
    expect((await send(server.port, 'GET', { authorization: 'ann' })).toLowerCase()).not.toMatch(
      /access-control|vary/,
    )
  })

  test('a listed page does not make a foreign host name ours', async () => {
    await using server = await serving([knowing(), notes()], cors)
    expect(
      await send(server.port, 'GET', { host: 'evil.example', origin: APP, authorization: 'ann' }),
    ).toMatch(/^HTTP\/1.1 403/)
  })

  test.each([
    ['*'],
    ['app.example.com'],
    ['https://app.example.com/'],
    ['https://*.example.com/x'],
    ['file://'],
  ])('%s is no origin to list', async (origin) => {
    await expect(serving([], { cors: { origins: [origin] } })).rejects.toThrow(
      /BAD_CONFIG|must be an origin/,
    )
  })
})
