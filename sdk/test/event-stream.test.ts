import { describe, expect, test } from 'vitest'
import { EventStream } from '../src/models/index.ts'

describe('the stream of a reply', () => {
  test('gives the data of its events alone, the last one also without its empty line', () => {
    const events = new EventStream()
    expect(events.push(': hello\r\nevent: delta\r\nid: 1\r\ndata: {"a":\r')).toEqual([])
    expect(events.push('\ndata: 1}\r\n\r\nunknown: x\n\ndata: [DONE]')).toEqual(['{"a":\n1}'])
    expect(events.end()).toEqual(['[DONE]'])
    expect(events.end()).toEqual([])
  })

  test('is given up at an event without an end', () => {
    const [events, piece] = [new EventStream(), 'x'.repeat(1024 * 1024)]
    events.push('data: ')
    for (let n = 0; n < 15; n++) events.push(piece)
    expect(() => events.push(piece + piece)).toThrow(RangeError)
  })
})
