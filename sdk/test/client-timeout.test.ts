import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { createClient } from '@amodal/sdk/client'
import { afterAll, beforeAll, expect, test } from 'vitest'

const silent = createServer(() => undefined)
let url = ''
beforeAll(async () => {
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
})
afterAll(() => {
  silent.closeAllConnections()
  silent.close()
})

test('a server that does not answer in time is unreachable', async () => {
  const client = createClient({ url, timeoutMs: 50 })
  await expect(client.answer('s', { id: 'ask_1', approved: true })).rejects.toMatchObject({
    name: 'ClientError',
    code: 'UNREACHABLE',
    cause: { name: 'TimeoutError' },
  })
})

test('what the caller aborts is no error of the client', async () => {
  const client = createClient({ url, timeoutMs: 60_000 })
  const stop = new AbortController()
  const listed = client.sessions({ signal: stop.signal })
  stop.abort(new Error('enough'))
  await expect(listed).rejects.toThrow('enough')
})
