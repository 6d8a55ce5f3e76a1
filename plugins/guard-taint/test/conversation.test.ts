import type { Json, Message } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { originsOf } from '../src/origins.ts'
import { Taint } from '../src/taint.ts'
import { agent, called, request, tool, user } from './support.ts'

const bundle = agent()
const any = tool('any')

test('is read as it grows, and again where its beginning is another one', () => {
  const messages: Message[] = [
    user('Mail ann@acme.example'),
    ...called('fetch_url', {}, 'first@evil.example', 'c1'),
  ]
  const taint = new Taint(100_000)
  const run = { messages, bundle }
  const found = (value: string): readonly [boolean, boolean] => {
    const {
      session: { person, outside },
    } = taint.known(run, any)
    return [person.find(value) !== undefined, outside.find(value) !== undefined]
  }
  expect([found('ann@acme.example'), found('first@evil.example')]).toEqual([
    [true, false],
    [false, true],
  ])

  // The outcome of a second call joins the message of the first one, which is another object then.
  const last = messages.at(-1)
  const [, more] = called('fetch_url', {}, 'second@evil.example', 'c2')
  if (last?.role !== 'tool' || more.role !== 'tool') throw new Error('results come last')
  messages[messages.length - 1] = { role: 'tool', content: [...last.content, ...more.content] }
  expect([found('first@evil.example'), found('second@evil.example')]).toEqual([
    [false, true],
    [false, true],
  ])
  messages.push(user('And ben@acme.example'))
  expect(found('ben@acme.example')).toEqual([true, false])

  // Compacted: what was said before is a summary now, which is nobody's word.
  messages.splice(
    0,
    2,
    user('Summary of the conversation so far:\nThe person wants mail to ann@acme.example'),
  )
  expect([found('ann@acme.example'), found('ben@acme.example')]).toEqual([
    [false, true],
    [true, false],
  ])
})

test('another process that reads the same history knows the same', () => {
  const messages = [user('Mail ann@acme.example'), ...called('fetch_url', {}, 'eve@evil.example')]
  for (const taint of [new Taint(100_000), new Taint(100_000)]) {
    const { session } = taint.known({ messages: [...messages], bundle }, any)
    expect([
      session.person.find('ann@acme.example')?.tool,
      session.outside.find('eve@evil.example')?.tool,
    ]).toEqual(['user', 'fetch_url'])
  }
})

test('is remembered up to its bound, the newest longest', () => {
  const taint = new Taint(20_000)
  const messages: Message[] = [user('Go')]
  for (let n = 0; n < 50; n++)
    messages.push(
      ...called('fetch_url', {}, `page${n}@evil.example ${'filler '.repeat(300)}`, `c${n}`),
    )
  const {
    session: { outside },
  } = taint.known({ messages, bundle }, any)
  expect(outside.find('page0@evil.example')).toBeUndefined()
  expect(outside.find('page49@evil.example')?.call).toBe('c49')
  expect(outside.isEmpty).toBe(false)
})

test.each<readonly [string, string]>([
  ['one letter', 'a'.repeat(400_000)],
  ['digits', '1'.repeat(400_000)],
  ['digits with commas', `${'1,'.repeat(200_000)}_`],
  ['digits with apostrophes', `${"1'".repeat(200_000)}1_`],
  ['digits with spaces', '1 '.repeat(200_000)],
  ['hex', `${'ab'.repeat(200_000)}g`],
  ['base64 in lines', `${'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo='.repeat(12)}\n`.repeat(900)],
  ['percent signs', '%4'.repeat(200_000)],
  ['percent', '%41'.repeat(130_000)],
  ['entities', '&#65;'.repeat(80_000)],
  ['escapes', '\\u0041'.repeat(65_000)],
  ['accounts', 'de89 3704 0044 '.repeat(26_000)],
  ['addresses', 'x.b@c.de '.repeat(44_000)],
  ['spaces', ' '.repeat(400_000)],
])('a text of nothing but %s takes no longer than it is long', { tags: 'speed' }, (_what, text) => {
  const start = performance.now()
  const { session } = new Taint(1_000_000).known(
    { messages: [user('Go'), ...called('fetch_url', {}, text)], bundle },
    any,
  )
  for (const value of ['b@c.de', '1', '1,1', 'DE89 3704 0044', 'a']) session.outside.find(value)
  expect(performance.now() - start).toBeLessThan(4_000)
})

test("what is nested deeper than anybody reads breaks nothing, and is a stranger's", () => {
  const deep = (levels: number): Json =>
    Array.from({ length: levels }).reduce<Json>((inside) => [inside], 'eve@evil.example')
  const messages = [user('Go'), ...called('request', {}, deep(5_000))]
  const known = new Taint(100_000).known(
    { messages, bundle },
    tool('any', { parameters: { type: 'object', properties: { a: { enum: deep(5_000) } } } }),
  )
  expect(known.session.outside.isEmpty).toBe(false)
  expect(
    new Taint(100_000)
      .known({ messages: [user('Go'), ...called('request', {}, deep(100))], bundle }, any)
      .session.outside.find('eve@evil.example'),
  ).toBeDefined()
})

test('a call with a great many values is looked at in time', { tags: 'speed' }, () => {
  const messages = [
    user('Go'),
    ...called('request', {}, { text: 'n-77 eve@evil.example '.repeat(5_000) }),
  ]
  const rows = Array.from({ length: 5_000 }, (_, n) => ({
    id: `n-${n}`,
    email: `p${n}@acme.example`,
    amount: n * 10,
    note: 'x',
  }))
  const start = process.threadCpuUsage()
  const origins = originsOf(
    request({ method: 'POST', path: '/api/rows', body: rows }),
    new Taint(1_000_000).known({ messages, bundle }, any),
  )
  expect(origins.length).toBeGreaterThan(10_000)
  expect(process.threadCpuUsage(start).user).toBeLessThan(5_000_000) // µs
})

test('lasts as long as a run, so that a session at rest takes nothing', () => {
  const taint = new Taint(100_000)
  const messages: Message[] = [user('Go'), ...called('fetch_url', {}, 'eve@evil.example')]
  const run = { messages, bundle }
  expect(taint.known(run, any).session).toBe(taint.known(run, any).session)
  expect(taint.known({ messages, bundle }, any).session).not.toBe(taint.known(run, any).session)
})

test('of a call only what is new is read', { tags: 'speed' }, () => {
  const taint = new Taint(50_000_000)
  const messages: Message[] = [user('Go')]
  const run = { messages, bundle }
  const page = 'a page of words '.repeat(1_000)
  for (let n = 0; n < 200; n++) messages.push(...called('fetch_url', {}, page, `c${n}`))
  const time = (): number => {
    const start = performance.now()
    taint.known(run, any)
    return performance.now() - start
  }
  const first = time()
  messages.push(...called('fetch_url', {}, 'one more', 'last'))
  expect(time()).toBeLessThan(first / 5)
})
