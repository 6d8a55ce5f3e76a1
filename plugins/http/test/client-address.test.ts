import { createConnection } from 'node:net'
import { describe, expect, test } from 'vitest'
import { definePlugin, RefusalListeners, use } from '@amodal/sdk'
import { serving } from './server.ts'
import { knowing, notes, by } from './admission-fixtures.ts'

describe('the address of a client', () => {
  /** The address in the refusal of a request with this `X-Forwarded-For`. */
  async function from(proxies: readonly string[], forwarded: string | undefined): Promise<unknown> {
    let address: unknown
    const listening = use(
      definePlugin({
        name: 'listening',
        version: '1.0.0',
        setup: ({ add }) =>
          add(RefusalListeners, 'it', (refusal) => {
            address = refusal.from
          }),
      }),
    )
    await using server = await serving([knowing(), listening, notes()], { proxies })
    await server.get(
      '/notes',
      forwarded === undefined ? {} : { headers: { 'x-forwarded-for': forwarded } },
    )
    return address
  }

  test.each([
    ['nobody in front', [], undefined, '127.0.0.1'],
    ['nobody in front, and somebody says so', [], '203.0.113.7', '127.0.0.1'],
    ['a proxy in front', ['127.0.0.1'], '203.0.113.7', '203.0.113.7'],
    ['a network of proxies', ['127.0.0.0/8', '10.0.0.0/8'], '203.0.113.7, 10.1.2.3', '203.0.113.7'],
    [
      'what a client made up stands before what the proxy says',
      ['127.0.0.1'],
      '1.1.1.1, 203.0.113.7',
      '203.0.113.7',
    ],
    ['IPv6', ['127.0.0.1', '2001:db8::/32'], '2001:db9::1, 2001:db8::5', '2001:db9::1'],
    [
      'an IPv4 address in the clothes of an IPv6 one',
      ['127.0.0.1'],
      '::ffff:203.0.113.7',
      '203.0.113.7',
    ],
    ['what is no address', ['127.0.0.1'], 'unknown', '127.0.0.1'],
    ['nothing', ['127.0.0.1'], undefined, '127.0.0.1'],
  ])('%s', async (_, proxies, forwarded, expected) => {
    expect(await from(proxies, forwarded)).toBe(expected)
  })

  test.each(['10.0.0.0/33', '10.0.0', 'proxy.internal', '10.0.0.0/8/8', ''])(
    '"%s" is no network',
    async (network) => {
      await expect(serving([], { proxies: [network] })).rejects.toThrow(
        /BAD_CONFIG|must be an address/,
      )
    },
  )

  test('a client that disconnects early does not fail the server', async () => {
    await using server = await serving([knowing(), notes()])
    const socket = createConnection({ port: server.port, host: '127.0.0.1' }, () =>
      socket.end('GET /notes HTTP/1.1\r\nhost: localhost\r\n\r\n', () => socket.destroy()),
    )
    await new Promise((resolve) => socket.on('close', resolve))
    expect((await server.get('/notes', by('ann'))).status).toBe(200)
  })
})
