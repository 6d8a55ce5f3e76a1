import { describe, expect, test } from 'vitest'
import {
  nameSession,
  removeSent,
  storageOutbox,
  unfinishedOf,
  type SentMessage,
} from '../src/client/conversation/outbox.ts'

/** What a browser stores, as far as an outbox uses it. */
class Stored {
  readonly items = new Map<string, string>()
  getItem = (name: string): string | null => this.items.get(name) ?? null
  setItem = (name: string, value: string): void => void this.items.set(name, value)
  removeItem = (name: string): void => void this.items.delete(name)
}

const sent = (key: string, more: Partial<SentMessage> = {}): SentMessage => ({
  key,
  session: undefined,
  text: key,
  after: 0,
  at: Date.now(),
  ...more,
})
const keys = (messages: readonly SentMessage[]): readonly string[] => messages.map(({ key }) => key)

describe('an outbox in the storage of a browser', () => {
  const outboxOver = (stored: Stored) => storageOutbox(() => stored as unknown as Storage, 'sent')

  test('has its messages until their turns have ended', () => {
    const stored = new Stored()
    const outbox = outboxOver(stored)
    outbox.store([sent('a'), sent('b', { session: 's' })])
    expect(keys(outboxOver(stored).list())).toEqual(['a', 'b'])
    removeSent(outbox, 'a')
    expect(keys(outbox.list())).toEqual(['b'])
    removeSent(outbox, 'b')
    expect(stored.items.size).toBe(0)
  })

  test('forgets what the server might have forgotten, and what is not its own', () => {
    const stored = new Stored()
    const outbox = outboxOver(stored)
    outbox.store([sent('old', { at: Date.now() - 13 * 3_600_000 }), sent('new')])
    expect(keys(outbox.list())).toEqual(['new'])
    for (const other of ['{', 'null', '[1]', '[{"key":1}]']) {
      stored.items.set('sent', other)
      expect(outbox.list()).toEqual([])
    }
  })

  test('is empty where the page may not store anything', () => {
    const outbox = storageOutbox(() => {
      throw new Error('not allowed')
    }, 'sent')
    outbox.store([sent('a')])
    expect(outbox.list()).toEqual([])
  })
})

test('messages behind the first one of a session get its id with it', () => {
  const stored = new Stored()
  const outbox = storageOutbox(() => stored as unknown as Storage, 'sent')
  outbox.store([sent('other'), sent('first'), sent('second', { behind: 'first' })])
  expect(keys(unfinishedOf(outbox, undefined))).toEqual(['first', 'second'])
  nameSession(outbox, 'first', 's')
  expect(keys(unfinishedOf(outbox, 's'))).toEqual(['first', 'second'])
  expect(keys(unfinishedOf(outbox, undefined))).toEqual(['other'])
})
