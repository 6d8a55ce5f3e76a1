/** What is sent after the lease has ended: nothing, however long it took until it could be sent. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { LEASE_MARGIN } from '@amodal/sdk/loop'
import { until } from '@amodal/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { leaseOf, outboundTo, startTarget, type Target } from './support.ts'

let target: Target
beforeAll(async () => {
  target = await startTarget((_request, response) => {
    response.end('fine')
  })
})
afterAll(() => target.close())

/** A way out whose names are looked up when the test says so. */
function slowNames() {
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const url = target.url.replace('127.0.0.1', 'slow.test')
  const outbound = outboundTo(
    [url],
    { timeoutMs: 20_000 },
    {
      resolve: (_host, _options, done) => {
        asked.resolve()
        void answered.promise.then(() => done(null, [{ address: '127.0.0.1', family: 4 }]))
      },
    },
  )
  return { url, outbound, asked: asked.promise, answer: answered.resolve }
}

test.each(['POST', 'GET'])(
  'a %s whose connection comes about after the lease has ended arrives nowhere',
  async (method) => {
    const { url, outbound, asked, answer } = slowNames()
    const lease = leaseOf(60_000)
    const before = target.seen.length
    const sent = outbound.request({
      url,
      method,
      lease,
      ...(method === 'POST' && { body: '{"amount":1}', key: 'run:call' }),
    })
    await asked
    // nothing has told this process yet that somebody else has the session
    lease.leave(LEASE_MARGIN)
    answer()
    expect(await sent).toMatchObject({
      ok: false,
      error: { code: 'LEASE_LOST', details: { sent: false } },
    })
    expect(target.seen).toHaveLength(before)
    // The way out itself is in order.
    lease.leave(60_000)
    expect(await outbound.request({ url, method, lease })).toMatchObject({ ok: true })
  },
)

test('the same for a library that takes a fetch', async () => {
  const { url, outbound, asked, answer } = slowNames()
  const lease = leaseOf(60_000)
  const before = target.seen.length
  const sent = outbound
    .fetch(lease)(url, { method: 'POST', body: 'x' })
    .catch((cause: unknown) => cause)
  await asked
  lease.leave(0)
  answer()
  expect(await sent).toMatchObject({
    name: 'OutboundError',
    cause: { code: 'LEASE_LOST', details: { sent: false } },
  })
  expect(target.seen).toHaveLength(before)
})

test('a connection is not waited for longer than the lease lasts, and one that was prolonged is waited for on', async () => {
  const { url, outbound, answer } = slowNames()
  let left = LEASE_MARGIN + 50
  const lease = { ...leaseOf(0), remainingMs: () => left }
  const sent = outbound.request({ url, method: 'POST', lease })
  left = LEASE_MARGIN
  expect(await sent).toMatchObject({
    ok: false,
    error: { code: 'LEASE_LOST', details: { sent: false } },
  })
  answer()

  const other = slowNames()
  let looks = 0
  const prolonged = {
    ...leaseOf(0),
    remainingMs: () => {
      looks++
      return LEASE_MARGIN + 50
    },
  }
  const kept = other.outbound.request({ url: other.url, method: 'POST', lease: prolonged })
  await until(() => looks > 4) // each look is one after the time that was left
  other.answer()
  expect(await kept).toMatchObject({ ok: true })
})

test('says of a connection that broke whether the request was written', async () => {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket
      .on('error', () => undefined)
      .once('data', () => {
        socket.destroy()
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  try {
    const plain = outboundTo([`http://127.0.0.1:${port}`])
    expect(
      await plain.request({
        lease: undefined,
        url: `http://127.0.0.1:${port}`,
        method: 'POST',
        body: 'x',
      }),
    ).toMatchObject({ error: { code: 'OUTBOUND_FAILED', details: { sent: true } } })
    // It breaks in the middle of the handshake: the same code of the system, and nothing was sent.
    const secure = outboundTo([`https://127.0.0.1:${port}`])
    expect(
      await secure.request({
        lease: undefined,
        url: `https://127.0.0.1:${port}`,
        method: 'POST',
        body: 'x',
      }),
    ).toMatchObject({ error: { code: 'OUTBOUND_FAILED', details: { sent: false } } })
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})
