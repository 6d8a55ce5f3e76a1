import type { ConversationSnapshot, Item } from '@amodal/sdk/client'
import { describe, expect, test } from 'vitest'
import { ItemFeed, type Addition } from '../src/feed/item-feed.ts'

const user = (text: string, key = 'u'): Item => ({ kind: 'user', key, text })
const text = (value: string, key = 't'): Item => ({ kind: 'text', key, text: value })
const end = (key = 'e'): Item => ({
  kind: 'end',
  key,
  seq: 1,
  reason: 'model_stop',
  usage: undefined,
  cost: undefined,
})
const call = (key: string, status: 'running' | 'success'): Item => ({
  kind: 'call',
  key,
  name: 'look',
  label: 'look',
  params: {},
  status,
  result: undefined,
  content: [],
  ms: undefined,
  log: [],
})

/** What is written after some snapshots, each in one line. */
class Page {
  readonly lines: string[] = []
  readonly #feed: ItemFeed
  #pending: readonly Item[] = []

  constructor(feed = new ItemFeed()) {
    this.#feed = feed
  }

  get pending(): readonly string[] {
    return this.#pending.map(({ kind }) => kind)
  }

  show(items: readonly Item[], state: ConversationSnapshot['state'] = 'running'): void {
    const { additions, pending } = this.#feed.next({ items, state })
    this.lines.push(...additions.map(lineOf))
    this.#pending = pending
  }
}

const lineOf = (addition: Addition): string => {
  switch (addition.kind) {
    case 'text':
      return `${addition.isComplete ? 'text' : 'part'} ${addition.text}`
    case 'item':
      return addition.item.kind === 'user' ? `user ${addition.item.text}` : addition.item.kind
    default:
      return addition.kind
  }
}

describe('what is written of a conversation', () => {
  test('is each item once, when it does not change any more', () => {
    const page = new Page()
    page.show([user('hi')])
    page.show([user('hi'), text('He')])
    page.show([user('hi'), text('Hello'), call('c', 'running')])
    page.show([user('hi'), text('Hello'), call('c', 'running')])
    expect(page.pending).toEqual(['call'])
    page.show([user('hi'), text('Hello'), call('c', 'success'), text('Done.', 't2')])
    page.show([user('hi'), text('Hello'), call('c', 'success'), text('Done.', 't2'), end()], 'idle')
    expect(page.lines).toEqual([
      'user hi',
      'part He',
      'text Hello',
      'call',
      'part Done.',
      'text Done.',
      'end',
    ])
  })

  test('is not written once more when the history replaces the turn', () => {
    const page = new Page()
    page.show([user('hi'), text('Hello'), call('c', 'success'), text('Bye', 't2'), end()], 'idle')
    const before = [...page.lines]
    const history = [
      user('hi', 'm1'),
      text('Hello', 'm2'),
      call('c', 'success'),
      text('Bye', 'm4'),
      end('m5-end'),
    ]
    page.show(history, 'idle')
    page.show([...history, user('more', 'u2')])
    expect(page.lines).toEqual([...before, 'user more'])
  })

  test('waits while a text is replayed, and goes on behind it', () => {
    const page = new Page()
    page.show([user('hi'), text('one two')])
    for (const replayed of ['', 'one', 'one two']) page.show([user('hi'), text(replayed)])
    page.show([user('hi')])
    page.show([user('hi'), text('one two three'), end()], 'idle')
    expect(page.lines).toEqual(['user hi', 'part one two', 'text one two three', 'end'])
  })

  test('says that the answer begins again where it is another one', () => {
    const page = new Page()
    page.show([user('hi'), text('one two')])
    page.show([user('hi'), text('six')])
    expect(page.lines).toEqual(['user hi', 'part one two', 'restart', 'part six'])
  })

  test('leaves a message behind the answer that it waits for', () => {
    const page = new Page()
    page.show([user('hi'), text('Hel'), user('and', 'u2')])
    expect(page.pending).toEqual(['user'])
    page.show([user('hi'), text('Hello'), end(), user('and', 'u2')])
    expect(page.lines).toEqual(['user hi', 'part Hel', 'text Hello', 'end', 'user and'])
  })

  test('has no control characters, also where a sequence comes in two parts', () => {
    const page = new Page()
    page.show([text('a\u001b]52;c;')])
    page.show([text('a\u001b]52;c;aGk=\u0007b\u001b[31')])
    page.show([text('a\u001b]52;c;aGk=\u0007b\u001b[31mc\u202e')])
    expect(page.lines).toEqual(['part a', 'part ab', 'part abc'])
  })

  test('is a call when it begins and when it has ended, where that is wanted', () => {
    const page = new Page(new ItemFeed({ callsWhenBegun: true }))
    page.show([call('c', 'running')])
    page.show([call('c', 'running'), text('more')])
    expect(page.lines).toEqual(['call', 'part more'])
    page.show([call('c', 'success'), text('more')])
    expect(page.lines).toEqual(['call', 'part more', 'call'])
  })
})
