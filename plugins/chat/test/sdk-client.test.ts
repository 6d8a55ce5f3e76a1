import { describe, expect, test } from 'vitest'
import { LOCAL_TENANT as LOCAL } from '@amodal/sdk'
import { createClient, ClientError, Transcript, type ClientEvent } from '@amodal/sdk/client'
import { cuttingProxy } from './cutting-proxy.ts'
import { served } from './server.ts'

const collect = async (events: AsyncIterable<ClientEvent>): Promise<readonly ClientEvent[]> => {
  const all: ClientEvent[] = []
  for await (const event of events) all.push(event)
  return all
}
const words = (count: number): string =>
  `${Array.from({ length: count }, (_, n) => `w${n} `).join('')}end`
const textOf = (events: readonly ClientEvent[]): string =>
  events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('')

describe('sending', () => {
  test('gives the events of a turn, typed', async () => {
    await using server = await served()
    const client = createClient({ url: `${server.url}/` })
    const events = await collect(client.send({ text: 'many 3' }))
    expect(events.map(({ type }) => type)).toEqual([
      'init',
      ...Array<string>(4).fill('text_delta'),
      'done',
    ])
    expect(textOf(events)).toBe(words(3))
  })

  test('or the whole reply', async () => {
    await using server = await served()
    const client = createClient({ url: server.url })
    const first = await client.ask({ text: 'hello' })
    expect(first).toMatchObject({
      text: 'hello',
      reason: 'model_stop',
      pending: [],
      usage: { total_tokens: 15 },
    })
    expect((await client.ask({ text: 'more', session: first.session })).session).toBe(first.session)
  })

  test("what is refused is an error with the server's code", async () => {
    await using server = await served()
    const client = createClient({ url: server.url })
    await expect(collect(client.send({ text: 'x', session: 'sess_none' }))).rejects.toMatchObject({
      name: 'ClientError',
      code: 'SESSION_NOT_FOUND',
      status: 404,
    })
    await expect(client.session('sess_none')).rejects.toBeInstanceOf(ClientError)
    await expect(client.sessions({ limit: 0 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  test('a server that is not there is an error, after some tries', async () => {
    const client = createClient({ url: 'http://127.0.0.1:1', tries: 1 })
    await expect(collect(client.send({ text: 'x' }))).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  test('a signal ends the reading, and not the turn', async () => {
    await using server = await served()
    const stop = new AbortController()
    const seen: string[] = []
    await expect(
      (async () => {
        for await (const event of createClient({ url: server.url }).send({
          text: 'slow 20',
          signal: stop.signal,
        })) {
          seen.push(event.type)
          if (seen.length === 4) stop.abort()
        }
      })(),
    ).rejects.toThrow()
    await expect.poll(() => server.agent.status().active).toBe(0)
    expect([...server.agent.sessions.values()][0]?.entries.at(-1)).toMatchObject({
      kind: 'model_reply',
    })
  })
})

describe('a wire that breaks', () => {
  test.each([400, 1_000, 2_500])('costs nothing: every %i bytes', async (bytes) => {
    await using server = await served()
    await using proxy = await cuttingProxy(server.port)
    proxy.cutAfter(bytes + 900) // some of it are heads
    const events = await collect(createClient({ url: proxy.url }).send({ text: 'many 40' }))
    expect(textOf(events)).toBe(words(40))
    expect(
      events.filter(({ type }) => type === 'init' || type === 'done').map(({ type }) => type),
    ).toEqual(['init', 'done'])
    expect(proxy.connections).toBeGreaterThan(1)
    expect(server.agent.sessions.size).toBe(1)
  })

  test('before the first byte: the message is sent again, and taken once', async () => {
    await using server = await served()
    await using proxy = await cuttingProxy(server.port)
    proxy.cutAfter(10)
    setTimeout(() => proxy.cutAfter(Infinity), 300)
    const events = await collect(
      createClient({ url: proxy.url }).send({
        text: 'hello',
        session: server.agent.make(LOCAL, 'x').id,
      }),
    )
    expect(textOf(events)).toBe('hello')
    expect(
      [...server.agent.sessions.values()][0]?.entries.filter(({ kind }) => kind === 'user_message'),
    ).toHaveLength(1)
  })

  test('for good: an error, after some tries that bring nothing new', async () => {
    await using server = await served()
    await using proxy = await cuttingProxy(server.port)
    const client = createClient({ url: proxy.url, tries: 2 })
    await expect(
      (async () => {
        for await (const event of client.send({ text: 'slow 200' }))
          if (event.type === 'text_delta') proxy.cutAfter(0)
      })(),
    ).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  test('a reset takes back what was void, and nothing else', async () => {
    await using server = await served()
    const client = createClient({ url: server.url })
    const transcript = new Transcript()
    let crashed = false
    for await (const event of client.send({ text: 'slow 12' })) {
      transcript.push(event)
      if (crashed || !transcript.text.includes('w5 ')) continue
      crashed = true
      expect(transcript.text).toContain('w0 w1 w2 w3 w4 w5 ')
      for (const session of server.agent.sessions.values()) session.crash()
    }
    expect(transcript.text).toMatch(/^w\d+ .*end$/)
    expect(transcript.text).not.toContain('w0 ')
    expect(transcript.events[0]?.type).toBe('init')
  })

  test('of a transcript, text of finished entries stays', () => {
    const transcript = new Transcript()
    const at = (seq: number, n: number) => ({
      timestamp: '',
      frame: { seq, fencingToken: 1, attempt: 0, n },
    })
    transcript.push({ type: 'init', session_id: 's', ...at(3, 0) })
    transcript.push({ type: 'text_delta', content: 'kept ', ...at(3, 1) }) // of entry 4, live
    transcript.push({ type: 'tool_call_result', tool_id: 't', status: 'success', ...at(6, 0) })
    transcript.push({ type: 'text_delta', content: 'void', ...at(6, 1) })
    transcript.push({ type: 'reset', after_seq: 6, ...at(6, 0) })
    transcript.push({ type: 'text_delta', content: 'again', ...at(6, 1) })
    expect(transcript.text).toBe('kept again')
    expect(transcript.events).toHaveLength(4)
  })
})

describe('everything else', () => {
  test('an approval is answered while the stream is read', async () => {
    await using server = await served()
    const client = createClient({ url: server.url })
    let session = ''
    const transcript = new Transcript()
    for await (const event of client.send({ text: 'approve' })) {
      transcript.push(event)
      if (event.type === 'init') session = event.session_id
      if (event.type === 'confirmation_required')
        expect(await client.answer(session, { id: event.id, approved: true })).toMatchObject({
          settled: ['ask_1'],
        })
    }
    expect(transcript.text).toBe('You said {"approved":true}.')
  })

  test('a question is received, not answered, and answered later', async () => {
    await using server = await served()
    const client = createClient({ url: server.url })
    const { session, pending, reason } = await client.ask({ text: 'question' })
    expect([pending[0]?.pending_input_type, reason]).toEqual(['question', undefined])
    const following = collect(client.follow(session))
    await client.answer(session, [{ id: pending[0]?.id ?? '', response: 'blue' }])
    expect(textOf(await following)).toContain('{"response":"blue"}')
    expect((await client.session(session)).pending_input).toEqual([])
  })

  test('following a session where nothing runs ends at once', async () => {
    await using server = await served()
    const client = createClient({ url: server.url })
    const { id } = server.agent.make(LOCAL, 'quiet')
    expect(await collect(client.follow(id))).toEqual([])
  })

  test('sessions are listed, changed, forked, cleared and removed', async () => {
    await using server = await served()
    const client = createClient({ url: server.url })
    const { session } = await client.ask({ text: 'hello' })
    expect(
      (await client.update(session, { title: 'Deals', tags: ['x'], metadata: { a: 1 } })).title,
    ).toBe('Deals')
    expect((await client.sessions({ limit: 10 })).sessions.map(({ title }) => title)).toEqual([
      'Deals',
    ])
    expect(await client.session(session)).toMatchObject({
      metadata: { a: 1 },
      messages: [{ role: 'user', text: 'hello' }, { role: 'assistant' }],
    })
    expect((await client.fork(session, 1)).parent_id).toBe(session)
    expect(await client.cancel(session)).toMatchObject({ active: false })
    await client.clear(session)
    expect((await client.session(session)).messages).toEqual([])
    await client.remove(session)
    await expect(client.session(session)).rejects.toMatchObject({ status: 404 })
  })
})
