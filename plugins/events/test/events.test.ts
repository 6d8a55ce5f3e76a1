import { principalId, SHARED_TENANT, tenantId, use, type RuntimeEvent } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { Channel, serving, stalled } from './serving.ts'

const put = (storeName: string): RuntimeEvent => ({
  type: 'store_updated',
  storeName,
  operation: 'put',
})
const names = (frames: readonly { readonly data: { readonly [name: string]: unknown } }[]) =>
  frames.map(({ data }) => data['storeName'])

test('tells of what happens from now on, in order, each with a number that only grows', async () => {
  await using server = await serving()
  server.tell(put('before'))
  const stream = await server.subscribe()
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
  server.tell(put('a'))
  server.tell({ type: 'files_changed', path: 'skills/triage.md' })
  const [first, second] = await stream.until(2)
  expect(first).toMatchObject({
    name: undefined,
    data: { type: 'store_updated', storeName: 'a', operation: 'put' },
  })
  expect(second).toMatchObject({
    name: undefined,
    data: { type: 'files_changed', path: 'skills/triage.md' },
  })
  expect(Number(first?.id)).toBe(first?.data['seq'])
  expect(Number(second?.id)).toBe(Number(first?.id) + 1)
  expect(first?.data['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  const named = await server.subscribe('?named=1', { 'last-event-id': String(first?.id) })
  expect(await named.until(1)).toMatchObject([
    { name: 'files_changed', data: { type: 'files_changed' } },
  ])
})

test('begins with the newest events that happened before, where a client wants them', async () => {
  await using server = await serving({ buffer: 3 })
  const empty = await server.subscribe('?replay=5')
  server.tell(put('first'))
  expect(names(await empty.until(1))).toEqual(['first'])
  for (const name of ['a', 'b', 'c']) server.tell(put(name))
  server.tell(put('of beta'), { tenant: tenantId('beta') })
  const stream = await server.subscribe('?replay=2')
  server.tell(put('d'))
  const frames = await stream.until(3)
  expect(names(frames)).toEqual(['b', 'c', 'd'])
  // the head tells the earlier ones from those to come
  const head = stream.response.headers.get('last-event-id')
  expect(frames.map(({ id }) => Number(id) <= Number(head))).toEqual([true, true, false])
  // a place wins over a count, so that a client which comes back gets nothing twice
  const back = await server.subscribe('?replay=900', { 'last-event-id': String(frames[1]?.id) })
  expect(names(await back.until(1))).toEqual(['d'])
  const all = await server.subscribe('?replay=900')
  expect(names(await all.until(5))).toEqual(['first', 'a', 'b', 'c', 'd'])
  const wrong = await fetch(`${server.url}/api/events?replay=-1`)
  expect([wrong.status, await wrong.json()]).toMatchObject([
    400,
    { error: { code: 'VALIDATION_ERROR', message: expect.stringContaining('replay') as string } },
  ])
})

test('goes on after the last event that a client has, without a gap', async () => {
  await using server = await serving({ buffer: 500 })
  const stream = await server.subscribe()
  for (let n = 0; n < 10; n++) server.tell(put(`s${n}`))
  const [, , third] = await stream.until(3)
  await stream.leave()
  for (let n = 10; n < 400; n++) server.tell(put(`s${n}`))
  const resumed = await server.subscribe('', { 'last-event-id': String(third?.id) })
  expect(names(await resumed.until(397))).toEqual(
    Array.from({ length: 397 }, (_, n) => `s${n + 3}`),
  )
})

test('reports missing events and continues with new ones: after an overrun, or on another server', async () => {
  await using server = await serving({ buffer: 20 })
  const stream = await server.subscribe()
  server.tell(put('seen'))
  const [seen] = await stream.until(1)
  for (let n = 0; n < 60; n++) server.tell(put('old'))
  for (const place of [String(seen?.id), '42', String(Number(seen?.id) + 1_000_000)]) {
    const resumed = await server.subscribe('', { 'last-event-id': place })
    // A separate event name, so that older clients do not receive it as a message.
    expect(await resumed.until(1)).toMatchObject([
      {
        name: 'events_replay_overrun',
        id: undefined,
        data: { type: 'events_replay_overrun', afterSeq: Number(place) },
      },
    ])
    server.tell(put('new'))
    expect(names((await resumed.until(2)).slice(1))).toEqual(['new'])
    expect(server.lines).toContainEqual({
      level: 'warn',
      event: 'events_replay_overrun',
      data: expect.objectContaining({ tenant: 'acme', after: Number(place) }) as object,
    })
    await resumed.leave()
  }
  expect(
    (await fetch(`${server.url}/api/events`, { headers: { 'last-event-id': '1.1.1.1' } })).status,
  ).toBe(400)
})

test('a subscriber receives events of its tenant, or of its own sessions only', async () => {
  await using server = await serving()
  const [acme, beta, anna, bert] = await Promise.all(
    ['acme', 'beta', 'acme:anna', 'acme:bert'].map((scope) =>
      server.subscribe(`?scope_id=${scope}`),
    ),
  )
  const session = (id: string): RuntimeEvent => ({
    type: 'session_deleted',
    sessionId: id as never,
  }) // any text is an id here
  server.tell(session('of anna'), { principal: principalId('anna') })
  server.tell(session('of bert'), { principal: principalId('bert') })
  server.tell(put('of acme'))
  server.tell(put('of beta'), { tenant: tenantId('beta') })
  server.tell({ type: 'manifest_changed' }, { tenant: SHARED_TENANT })
  const subjects = async (stream: typeof acme, count: number) =>
    (await stream?.until(count))?.map(
      ({ data }) => data['sessionId'] ?? data['storeName'] ?? data['type'],
    )
  expect(await subjects(acme, 4)).toEqual(['of anna', 'of bert', 'of acme', 'manifest_changed'])
  expect(await subjects(beta, 2)).toEqual(['of beta', 'manifest_changed'])
  expect(await subjects(anna, 3)).toEqual(['of anna', 'of acme', 'manifest_changed'])
  expect(await subjects(bert, 3)).toEqual(['of bert', 'of acme', 'manifest_changed'])
})

test('a client that does not read is disconnected and logged, and delays no other', async () => {
  await using server = await serving({ buffer: 1_000 }, { httpConfig: { slowReaderMs: 300 } })
  const still = await stalled(server.port)
  const reading = await server.subscribe()
  const wide = 'x'.repeat(290)
  const dropped = () => server.lines.find(({ event }) => event === 'events_subscriber_dropped')
  // The buffers of the operating system are of unknown size: events are sent until the cut.
  const read = reading.until()
  const deadline = performance.now() + 10_000
  let sent = 0
  while (!dropped() && performance.now() < deadline) {
    for (let n = 0; n < 200; n++, sent++) server.tell(put(`${wide}${sent}`.slice(-300)))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect(dropped()?.data).toMatchObject({ tenant: 'acme', behind: expect.any(Number) as number })
  await expect.poll(() => reading.frames.length).toBe(sent)
  await reading.leave()
  await read
  still.destroy()
})

test('a stream ends after its time', async () => {
  await using server = await serving({ streamMs: 100, heartbeatMs: 20 })
  const stream = await server.subscribe()
  expect(await stream.until()).toEqual([])
  expect(stream.comments).toMatch(/^:{2,}$/)
})

test('a stream ends with the server, and there are no more than may be', async () => {
  await using server = await serving({ subscribers: 2 })
  const stream = await server.subscribe()
  const other = await server.subscribe()
  const refused = await fetch(`${server.url}/api/events`)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
  await server.kernel.drain('test')
  expect([await stream.until(), await other.until()]).toEqual([[], []])
})

test('instances on one database pass events on while another has subscribers', async () => {
  const channel = new Channel()
  await using here = await serving({}, { more: [use(channel.database())] })
  await using there = await serving({}, { more: [use(channel.database())] })
  there.tell(put('nobody'))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(channel.payloads.filter((payload) => payload.includes('events"'))).toEqual([])
  const stream = await here.subscribe('?scope_id=acme:anna')
  await expect
    .poll(() => channel.payloads.some((payload) => payload.includes('"here":true')))
    .toBe(true)
  await new Promise((resolve) => setImmediate(resolve))
  for (const owner of ['bert', 'anna'])
    there.tell(
      { type: 'session_updated', sessionId: `of ${owner}` as never, appId: 'x' },
      { principal: principalId(owner) },
    )
  for (let n = 0; n < 300; n++) there.tell(put(`s${n}`))
  const frames = await stream.until(301)
  expect(frames.map(({ data }) => data['sessionId'] ?? data['storeName'])).toEqual([
    'of anna',
    ...Array.from({ length: 300 }, (_, n) => `s${n}`),
  ])
  expect(Math.max(...channel.payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(
    8_000,
  )
  // Only payloads after this one count.
  const published = channel.payloads.length
  await stream.leave()
  await expect
    .poll(() =>
      channel.payloads.slice(published).some((payload) => payload.includes('"here":false')),
    )
    .toBe(true)
})

test('forged payloads on the channel do not change the place of a subscriber', async () => {
  const channel = new Channel()
  await using server = await serving({}, { more: [use(channel.database())] })
  const stream = await server.subscribe()
  server.tell(put('a'))
  const [first] = await stream.until(1)
  const forge = (event: object, at: number): string =>
    JSON.stringify({ from: 'eve', events: [{ event, tenant: 'acme', at }] })
  for (const payload of [
    forge({ type: 'store_updated', storeName: 'x' }, 8.64e15 + 1),
    forge({ type: 'store_updated', storeName: 'b', seq: 1, timestamp: 'never' }, 0),
    '{"from":"eve","events":[{}, null]}',
    '[',
  ])
    channel.tell(payload)
  server.tell(put('c'))
  const frames = await stream.until(3)
  expect(names(frames)).toEqual(['a', 'b', 'c'])
  expect(frames.map(({ data }) => Number(data['seq']) - Number(first?.id))).toEqual([0, 1, 2])
  const resumed = await server.subscribe('', { 'last-event-id': String(frames[1]?.id) })
  expect(names(await resumed.until(1))).toEqual(['c'])
})

test('a tenant that uses all streams does not lock out other tenants', async () => {
  await using server = await serving({ subscribers: 3 })
  const [oldest, ...others] = [
    await server.subscribe(),
    await server.subscribe(),
    await server.subscribe(),
  ]
  expect((await server.subscribe()).response.status).toBe(429)
  const beta = await server.subscribe('?scope_id=beta')
  expect(beta.response.status).toBe(200)
  expect(await oldest?.until()).toEqual([])
  expect((await server.subscribe('?scope_id=beta')).response.status).toBe(429)
  server.tell(put('a'))
  server.tell(put('b'), { tenant: tenantId('beta') })
  for (const one of others) expect(names(await one.until(1))).toEqual(['a'])
  expect(names(await beta.until(1))).toEqual(['b'])
})
