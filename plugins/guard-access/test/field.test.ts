import { describe, expect, test } from 'vitest'
import { readBody } from '../src/body.ts'
import { parseField, valuesAt, type Found } from '../src/field.ts'

const at = (
  field: string,
  body: Parameters<typeof readBody>[0],
  query: Readonly<Record<string, readonly string[]>> = {},
): Found | undefined => {
  const path = parseField(field)
  return (
    path &&
    valuesAt(path, {
      body: readBody(body),
      query,
      headers: { 'X-Priority': '3' },
      path: new Map([['id', '7']]),
    })
  )
}
const found = (...values: Found['values']): Found => ({ values, doubt: false })
const doubt: Found = { values: [], doubt: true }

describe('a field path', () => {
  test.each<readonly [string, Parameters<typeof readBody>[0], Found]>([
    ['body.amount', { amount: 5 }, found(5)],
    ['body.items[1].qty', { items: [{ qty: 1 }, { qty: 2 }] }, found(2)],
    ['body[].qty', [{ qty: 1 }, {}], found(1)],
    ['body.amount', { AMOUNT: 5, ａｍｏｕｎｔ: 6 }, found(5, 6)],
    ['body.amount', 'Amount=5', found('5')],
    ['body.amount', { аmount: 5 }, doubt],
    ['body.amount', { amóunt: 5 }, doubt],
    ['body.limit', { lımıt: 5 }, found()],
    ['body.İd', { i̇d: 5 }, found(5)],
    ['body.a[0][1]', { a: [[1, 2]] }, found(2)],
    ['body.amount', '{"amount":5}', found(5)],
    ['body.amount', '{"amount":5,"amount":6}', doubt],
    ['body.amount', '{"x":{"y":1,"y":2},"amount":6}', doubt],
    ['body.order.amount', 'order[amount]=5&order.amount=6', found('5', '6')],
    ['body.items[].qty', 'items[0][qty]=1&items[][qty]=2&items[x][qty]=3', found('1', '2')],
    ['body.items[0].qty', 'items[0][qty]=1&items[][qty]=2&items[1][qty]=3', found('1', '2')],
    ['body.ids', 'ids[]=1&ids[3]=2&ids=3', found('1', '2', '3')],
    ['body.amount', 'no form at all', doubt],
    ['body.amount', '<amount note="x">5</amount>', doubt],
    ['body.amount', '', found()],
    ['body', 'a=1', found()],
    ['path.ID', undefined, found('7')],
    ['path.other', undefined, doubt],
    ['headers.x-priority', undefined, found('3')],
  ])('%s of %j', (field, body, expected) => expect(at(field, body)).toEqual(expected))

  test('finds query parameters in any spelling of their names', () => {
    expect(
      at('query.page[size]', undefined, { 'page[size]': ['5'], 'page.size': ['6'], page: ['7'] }),
    ).toEqual(found('5', '6'))
    expect(at('params.ids', undefined, { 'ids[]': ['1', '2'], ids: ['3'] })).toEqual(
      found('1', '2', '3'),
    )
  })

  test.each([
    'amount',
    'query',
    'body.',
    'body..a',
    'body.a[',
    'body.a]',
    'bodyamount',
    'path',
    'headers.',
    'file.x',
  ])('%s is none', (field) => {
    expect(parseField(field)).toBeUndefined()
  })
})
