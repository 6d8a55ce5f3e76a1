import { describe, expect, test } from 'vitest'
import { EventParser, type ParsedEvent } from '../src/client/index.ts'

const parse = (...chunks: readonly string[]): readonly ParsedEvent[] => {
  const parser = new EventParser()
  return chunks.flatMap((chunk) => parser.push(chunk))
}

const stream =
  '\ufeff: hello\nid: 1.1.1.1\nevent: init\ndata: {"a":1}\n\nid: 2\ndata: one\ndata: two\n\n:\n\nevent: lonely\n\ndata\n\nretry: 10\ndata:no space\nunknown: x\n\n'
const events: readonly ParsedEvent[] = [
  { id: '1.1.1.1', event: 'init', data: '{"a":1}' },
  { id: '2', event: 'message', data: 'one\ntwo' },
  { id: '2', event: 'message', data: '' },
  { id: '2', event: 'message', data: 'no space' },
]

describe('an event stream', () => {
  test('is read as the standard says', () => {
    expect(parse(stream)).toEqual(events)
  })

  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('with %s, however it is cut', (_, end) => {
    const text = stream.replaceAll('\n', end)
    // A lone CR at the very end may still become a CRLF.
    const closed = end === '\r' ? `${text}:\n` : text
    for (let at = 0; at <= closed.length; at++)
      expect(parse(closed.slice(0, at), closed.slice(at))).toEqual(events)
    expect(parse(...closed)).toEqual(events)
  })

  test('an id counts for what follows, also one that comes without data', () => {
    expect(parse('id: 7\n\ndata: a\n\nid\ndata: b\n\nid: 8\0\ndata: c\n\n')).toEqual([
      { id: '7', event: 'message', data: 'a' },
      { id: '', event: 'message', data: 'b' },
      { id: '', event: 'message', data: 'c' },
    ])
  })

  test('an event without its empty line is none', () => {
    expect(parse('data: cut')).toEqual([])
    expect(parse('data: cut\n')).toEqual([])
  })
})
