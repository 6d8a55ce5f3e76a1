import type { Outbound } from '@amodal/sdk'
import { LEASE_MARGIN } from '@amodal/sdk/loop'
import { until } from '@amodal/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { leaseOf, outboundTo, startTarget, type Target } from './support.ts'

let outbound: Outbound
let target: Target
beforeAll(async () => {
  target = await startTarget((request, response) => {
    const path = (request.url ?? '').split('?')[0]
    if (path === '/silent') return
    if (path === '/away') return void response.writeHead(302, { location: '/there' }).end()
    if (path === '/slowly') {
      response.write('one ')
      // longer than the deadline of a call without a signal
      return void setTimeout(() => response.end('two'), 600)
    }
    response.end('fine')
  })
  outbound = outboundTo([target.url], { timeoutMs: 400 })
  // the deadline is for a way out that is open
  await outbound.fetch()(target.url, { signal: AbortSignal.timeout(10_000) })
})
afterAll(() => target.close())

test('streams a body, past the deadline for its first byte', async () => {
  const response = await outbound.fetch()(`${target.url}/slowly`)
  expect(await response.text()).toBe('one two')
})

test('takes addresses, URLs and requests', async () => {
  const go = outbound.fetch()
  await go(new URL(`${target.url}/url`), { method: 'put', body: 'b' })
  expect(target.seen.at(-1)).toMatchObject({ method: 'PUT', url: '/url', body: 'b' })
  await go(
    new Request(`${target.url}/request`, {
      method: 'POST',
      body: 'text',
      headers: { 'x-mine': '1' },
    }),
  )
  expect(target.seen.at(-1)).toMatchObject({
    method: 'POST',
    url: '/request',
    body: 'text',
    headers: { 'x-mine': '1' },
  })
})

test('follows redirects as every way out does', async () => {
  await (await outbound.fetch()(`${target.url}/away`)).text()
  expect(target.seen.at(-1)?.url).toBe('/there')
})

test('rejects with the failure as its cause', async () => {
  await expect(outbound.fetch()('ftp://host/')).rejects.toMatchObject({
    name: 'OutboundError',
    cause: { code: 'OUTBOUND_REFUSED' },
  })
})

test('has a deadline where the caller brings none', async () => {
  await expect(outbound.fetch()(`${target.url}/silent`)).rejects.toMatchObject({
    cause: { code: 'TIMEOUT' },
  })
})

test('waits as long as the signal of the caller allows, and ends with its reason', async () => {
  const stop = new AbortController()
  const answer = outbound.fetch()(`${target.url}/silent?mine`, { signal: stop.signal })
  const early = await Promise.race([
    answer.catch(() => 'ended'),
    new Promise((resolve) => {
      setTimeout(resolve, 600, 'waits')
    }),
  ])
  expect(early).toBe('waits')
  stop.abort(new Error('enough'))
  await expect(answer).rejects.toThrow('enough')
  await until(() => target.seen.at(-1)?.left)
})

test('sends nothing on a lease that is about to end', async () => {
  const before = target.seen.length
  await expect(outbound.fetch(leaseOf(LEASE_MARGIN))(target.url)).rejects.toMatchObject({
    cause: { code: 'LEASE_LOST' },
  })
  expect(target.seen).toHaveLength(before)
})

test('ends a body whose lease is lost', async () => {
  const lease = leaseOf(10_000)
  const response = await outbound.fetch(lease)(`${target.url}/slowly`)
  lease.lose()
  await expect(response.text()).rejects.toThrow()
})
