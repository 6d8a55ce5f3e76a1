import type { Message } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { Taint } from '../src/taint.ts'
import { agent, called, tool, user } from './support.ts'

const bundle = agent()
const any = tool('any')

test('is read as it grows, and again where its beginning is another one', () => {
  const messages: Message[] = [user('Mail ann@acme.example'), ...called('fetch_url', {}, 'first@evil.example', 'c1')]
  const taint = new Taint(100_000)
  const found = (value: string): readonly [boolean, boolean] => {
    const { session: { person, outside } } = taint.known({ messages, bundle }, any)
    return [person.find(value) !== undefined, outside.find(value) !== undefined]
  }
  expect([found('ann@acme.example'), found('first@evil.example')]).toEqual([[true, false], [false, true]])

  // The outcome of a second call joins the message of the first one, which is another object then.
  const last = messages.at(-1)
  const [, more] = called('fetch_url', {}, 'second@evil.example', 'c2')
  if (last?.role !== 'tool' || more.role !== 'tool') throw new Error('results come last')
  messages[messages.length - 1] = { role: 'tool', content: [...last.content, ...more.content] }
  expect([found('first@evil.example'), found('second@evil.example')]).toEqual([[false, true], [false, true]])
  messages.push(user('And ben@acme.example'))
  expect(found('ben@acme.example')).toEqual([true, false])

  // Compacted: what was said before is a summary now, which is nobody's word.
  messages.splice(0, 2, user('Summary of the conversation so far:\nThe person wants mail to ann@acme.example'))
  expect([found('ann@acme.example'), found('ben@acme.example')]).toEqual([[false, true], [true, false]])
})

test('another process that reads the same history knows the same', () => {
  const messages = [user('Mail ann@acme.example'), ...called('fetch_url', {}, 'eve@evil.example')]
  for (const taint of [new Taint(100_000), new Taint(100_000)]) {
    const { session } = taint.known({ messages: [...messages], bundle }, any)
    expect([session.person.find('ann@acme.example')?.tool, session.outside.find('eve@evil.example')?.tool]).toEqual(['user', 'fetch_url'])
  }
})

test('is remembered up to its bound, the newest longest', () => {
  const taint = new Taint(20_000)
  const messages: Message[] = [user('Go')]
  for (let n = 0; n < 50; n++) messages.push(...called('fetch_url', {}, `page${n}@evil.example ${'filler '.repeat(300)}`, `c${n}`))
  const { session: { outside } } = taint.known({ messages, bundle }, any)
  expect(outside.find('page0@evil.example')).toBeUndefined()
  expect(outside.find('page49@evil.example')?.call).toBe('c49')
  expect(outside.isEmpty).toBe(false)
})

test('a long one costs a call what is new, not what is there', () => {
  const taint = new Taint(50_000_000)
  const messages: Message[] = [user('Go')]
  const word = (n: number): string => `${n.toString(36)}x${(n * 7919).toString(36)}`
  const page = (n: number): string => Array.from({ length: 2_000 }, (_, at) => word(n * 2_000 + at)).join(' ')
  for (let n = 0; n < 200; n++) messages.push(...called('fetch_url', {}, page(n), `c${n}`))
  const time = (): number => {
    const start = performance.now()
    const { session } = taint.known({ messages, bundle }, any)
    session.outside.find(word(123_456))
    return performance.now() - start
  }
  const first = time()
  messages.push(...called('fetch_url', {}, 'one more', 'last'))
  expect(time()).toBeLessThan(first / 20)
})
