import { parseTraceparent } from '@amodal/sdk/data'
import { expect, it } from 'vitest'

const IDS = `${'a'.repeat(32)}-${'b'.repeat(16)}`

it.each([
  [`00-${IDS}-01`, { version: '00', flags: '01' }],
  [` 00-${IDS.toUpperCase()}-00 `, { version: '00', flags: '00' }],
  [`01-${IDS}-01-later`, { version: '01', flags: '01' }],
])('parses %s', (text, parts) => {
  expect(parseTraceparent(text)).toEqual({
    ...parts,
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
  })
})

it.each([
  [undefined],
  [null],
  [1],
  [''],
  ['nonsense'],
  [`ff-${IDS}-01`],
  [`00-${IDS}-01-more`],
  [`00-${IDS}`],
  [`01-${IDS}-01-${'x'.repeat(201)}`],
])('finds none in %j', (value) => {
  expect(parseTraceparent(value)).toBeUndefined()
})
