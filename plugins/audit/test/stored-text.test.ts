import { canonical, type JsonObject } from '@amodal/sdk'
import { describe, expect, it, test } from 'vitest'
import { type LineColumns, storedText, wholeText } from '../src/stored-text.ts'

const columns: LineColumns = { tenant: 'acme', n: 7, key: 'run_1:start', session: 'sess_1' }
const line: JsonObject = {
  ...columns,
  v: 1,
  at: '2026-11-26T02:26:18.597Z',
  data: { bundle: 'b' },
  kind: 'run_start',
  principal: 'ann',
  run: 'run_1',
}
const STORED =
  '{"at":1795659978597,"data":{"bundle":"b"},"kind":"run_start","principal":"ann","run":0,"v":1}'

describe('the stored text of a line', () => {
  it('leaves out what its columns say, and says time and run shortly', () => {
    expect(storedText(line)).toBe(STORED)
    expect(wholeText(STORED, columns)).toBe(canonical(line))
  })

  test.each<[string, JsonObject]>([
    ['another run than the key begins with', { run: 'run_2' }],
    ['a time of another form', { at: '2026-11-26T02:26:18Z' }],
    ['a time of another zone', { at: '2026-11-26T03:26:18.597+01:00' }],
    ['no time', { at: 'never' }],
    ['a run without a name', { run: '' }],
    ['a time long ago', { at: '-000001-01-01T00:00:00.000Z' }],
  ])('is the whole text again with %s', (_name, change) => {
    const said = { ...line, ...change }
    expect(wholeText(storedText(said), columns)).toBe(canonical(said))
  })

  it('is the whole text again without a run, a time or a session', () => {
    const { run: _run, at: _at, session: _session, ...said } = line
    const without = { ...columns, session: null }
    expect(wholeText(storedText(said), without)).toBe(canonical(said))
  })

  it('is read as earlier releases wrote it', () => {
    const { tenant: _tenant, n: _n, key: _key, session: _session, ...rest } = line
    expect(wholeText(canonical(rest), columns)).toBe(canonical(line))
    expect(wholeText(canonical(line), columns)).toBe(canonical(line))
  })

  test.each([
    ['another time', STORED.replace('1795659978597', '1795659978598')],
    ['a time with a fraction', STORED.replace('1795659978597', '1795659978597.0')],
    ['a time out of range', STORED.replace('1795659978597', '9e99')],
    [
      'the time as text and the run as 0',
      STORED.replace('1795659978597', '"2026-11-26T02:26:18.597Z"'),
    ],
    ['the run as text and the time as a number', STORED.replace('"run":0', '"run":"run_1"')],
    ['another run', STORED.replace('"run":0', '"run":1')],
    ['no run', STORED.replace('"run":0,', '')],
    ['a space', STORED.replace(':0', ': 0')],
    ['a column put in', STORED.replace('"run":0', '"n":7,"run":0')],
  ])('is another text with %s', (_name, stored) => {
    expect(wholeText(stored, columns)).not.toBe(canonical(line))
  })

  it('is another text under another key', () => {
    for (const key of ['run_2:start', 'x', ''])
      expect(wholeText(STORED, { ...columns, key })).not.toBe(canonical(line))
  })
})
