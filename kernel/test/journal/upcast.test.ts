import { describe, expect, test } from 'vitest'
import { readEntries, readEntry } from '../../src/journal/upcast.ts'

const stored = (body: object, seq = 7) => ({ seq, body: JSON.stringify(body) })
const note = { v: 1, kind: 'note', run: 'r', at: 5, code: 'warning', text: 'old words' }

test('an entry of this release is read as it is, with its place', () => {
  expect(readEntry(stored(note))).toEqual({ ok: true, value: { ...note, seq: 7 } })
  expect(readEntry({ ...stored(note), sealed: 's' })).toMatchObject({ value: { sealed: 's' } })
})

describe('an older entry', () => {
  const upcasters = {
    note: [
      (body: object) => ({
        ...body,
        text: `${String((body as { readonly text: unknown }).text)}, once more`,
      }),
      (body: object) => ({ ...body, level: (body as { readonly text: string }).text.length }),
    ],
  }

  test('goes through the upcasters in order, from the version it was written in', () => {
    expect(readEntry(stored(note), upcasters)).toMatchObject({
      ok: true,
      value: { v: 3, text: 'old words, once more', level: 20 },
    })
    expect(readEntry(stored({ ...note, v: 2 }), upcasters)).toMatchObject({
      ok: true,
      value: { v: 3, text: 'old words', level: 9 },
    })
    expect(readEntry(stored({ ...note, v: 3 }), upcasters)).toMatchObject({
      ok: true,
      value: { v: 3, text: 'old words' },
    })
  })

  test('that nothing reads any more is refused', () => {
    expect(readEntry(stored({ ...note, v: 0 }), upcasters)).toMatchObject({
      ok: false,
      error: { code: 'UNKNOWN_ENTRY_VERSION' },
    })
  })
})

describe('what this release does not know is refused, not guessed at', () => {
  test.each([
    ['a newer version', { ...note, v: 2 }, /version 2; this release knows 1/],
    ['an unknown kind', { ...note, kind: 'dream' }, /unknown kind dream/],
    ['no version', { kind: 'note' }, /has version undefined/],
    ['a kind that only objects have', { ...note, kind: 'toString' }, /unknown kind toString/],
  ])('%s', (_, body, message) => {
    const read = readEntry(stored(body))
    expect(read).toMatchObject({
      ok: false,
      error: { code: 'UNKNOWN_ENTRY_VERSION', message: expect.stringMatching(message) },
    })
  })

  test('what is no JSON', () => {
    expect(readEntry({ seq: 1, body: '{"v":1' })).toMatchObject({
      ok: false,
      error: { code: 'UNKNOWN_ENTRY_VERSION' },
    })
  })

  test('and one such entry refuses the whole list: half a history is none', () => {
    expect(
      readEntries([stored(note, 1), stored({ ...note, v: 9 }, 2), stored(note, 3)]),
    ).toMatchObject({ ok: false, error: { message: expect.stringContaining('entry 2') } })
  })
})
