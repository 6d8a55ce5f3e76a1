import { describe, expect, test } from 'vitest'
import { isLong, parseExact } from '../ui/model/exact.ts'
import { csvCell, exportRows } from '../ui/model/export-rows.ts'
import { PAGE_ROWS, RowPages } from '../ui/model/row-pages.ts'
import { apiQuery, searchText, sessionSearch } from '../ui/model/session-search.ts'
import { filterText, queryText, tableQuery } from '../ui/model/store-query.ts'
import { columnsOf, keyFields, misfitsOf, valueAt, type Field } from '../ui/model/stores.ts'

const SCHEMA: Readonly<Record<string, Field>> = {
  id: { type: 'string' },
  owner: {
    type: 'object',
    fields: { name: { type: 'string' }, at: { type: 'object', fields: { x: { type: 'number' } } } },
  },
  extra: { type: 'object' },
  tags: { type: 'array', item: { type: 'string' } },
}
const document = (n: number) => ({
  key: `k${n}`,
  version: 1,
  payload: { id: `k${n}`, owner: { name: '=1+1' } },
  meta: { computedAt: '2026-11-01T00:00:00Z', stale: false },
})

describe('the address of a table', () => {
  test.each([
    ['', ''],
    ['filter=%7B%22a%22%3A1%7D&sort=-a', 'filter=%7B%22a%22%3A1%7D&sort=-a'],
    ['filter=no%20JSON&sort=a', 'sort=a'],
    ['filter=%5B1%5D', ''],
    ['columns=a%2Cb&show=dead', 'columns=a%2Cb&show=dead'],
    ['show=anything', ''],
  ])('%s is read and written', (query, written) => {
    expect(queryText(tableQuery(query))).toBe(written)
  })

  test('has the filter as the API reads it, with every digit of a number', () => {
    const filter = '{"a":{"gte":1,"lt":9},"b":["x"],"c":null,"d":9007199254740993}'
    const { conditions } = tableQuery(new URLSearchParams({ filter }).toString())
    expect(conditions.map(({ field, op }) => `${field} ${op}`)).toEqual([
      'a gte',
      'a lt',
      'b in',
      'c eq',
      'd eq',
    ])
    expect(filterText(conditions)).toBe(filter)
  })
})

describe('numbers', () => {
  test.each(['1', '0.1', '1e3', '12345678901234', '1.5', '-3', '9007199254740991'])(
    '%s is a number',
    (text) => expect(parseExact(`[${text}]`)).toEqual([Number(text)]),
  )
  test.each(['2512292042121000001', '1e400', '0.12345678901234567890'])(
    '%s has its digits',
    (text) => {
      const [value] = parseExact(`[${text}]`) as [never]
      expect(isLong(value)).toBe(true)
      expect(JSON.stringify(value)).toBe(text)
      expect(String(value)).toBe(text)
    },
  )
})

describe('a schema', () => {
  test('has a column for each field that has values', () => {
    expect(columnsOf(SCHEMA).map(({ name }) => name)).toEqual([
      'id',
      'owner.name',
      'owner.at.x',
      'extra',
      'tags',
    ])
    expect(valueAt({ owner: { at: { x: 3 } } }, 'owner.at.x')).toBe(3)
    expect(valueAt({ owner: null }, 'owner.at.x')).toBeUndefined()
    expect(keyFields('{owner.name}:{id}')).toEqual(['owner.name', 'id'])
  })

  test('has what the API says at the field that it is about', () => {
    const { fields, others } = misfitsOf(
      'id: is missing; owner.name: must be a text; tags[2]: must be a text; the key cannot be made',
      SCHEMA,
    )
    expect([...fields]).toEqual([
      ['id', 'is missing'],
      ['owner', 'owner.name must be a text'],
      ['tags', 'tags[2] must be a text'],
    ])
    expect(others).toEqual(['the key cannot be made'])
  })
})

describe('an export', () => {
  test.each([
    ['plain', 'plain'],
    ['a,b "c"\n', '"a,b ""c""\n"'],
    ['=SUM(A1)', "'=SUM(A1)"],
    [-5, '-5'],
    [null, ''],
    [['a'], '"[""a""]"'],
  ])('writes %j as %s', (value, cell) => {
    expect(csvCell(value)).toBe(cell)
  })

  test('has every document of every page, and ends when it is cancelled', async () => {
    const stop = new AbortController()
    const options = {
      columns: ['owner.name'],
      load: (offset: number, limit: number) =>
        Promise.resolve({
          documents: Array.from({ length: Math.min(limit, 1_500 - offset) }, (_, at) =>
            document(offset + at),
          ),
          total: 1_500,
        }),
      onProgress: () => undefined,
      signal: stop.signal,
    }
    const csv = await (await exportRows({ ...options, format: 'csv' })).text()
    expect(csv.split('\r\n')).toHaveLength(1_502)
    expect(csv).toMatch(/^key,owner\.name\r\nk0,'=1\+1\r\n/)
    const json = JSON.parse(await (await exportRows({ ...options, format: 'json' })).text())
    expect(json).toHaveLength(1_500)
    stop.abort()
    await expect(exportRows({ ...options, format: 'csv' })).rejects.toThrow()
  })
})

describe('pages of rows', () => {
  /** Rows of a store, whose pages arrive when they are let through. */
  function opened(total: number) {
    const requested: number[] = []
    let edition = 0
    const rows = new RowPages((offset, limit) => {
      requested.push(offset)
      const documents = Array.from({ length: Math.min(limit, total - offset) }, (_, at) => ({
        ...document(offset + at),
        version: edition,
      }))
      return Promise.resolve({ documents, total })
    })
    rows.open()
    return { rows, requested, edit: () => (edition += 1) }
  }

  test('are loaded when they come into view, and forgotten when they are far away', async () => {
    const { rows, requested } = opened(100_000)
    await expect.poll(() => rows.row(0)?.key).toBe('k0')
    expect(rows.total).toBe(100_000)
    rows.want(90_000, 90_040)
    await expect.poll(() => rows.row(90_020)?.key).toBe('k90020')
    for (let page = 1; page < 60; page += 1) {
      rows.want(page * PAGE_ROWS, page * PAGE_ROWS + 40)
      await expect.poll(() => rows.row(page * PAGE_ROWS)?.key).toBeDefined()
    }
    expect(rows.row(90_020)).toBeUndefined()
    expect(new Set(requested).size).toBe(requested.length)
    rows.close()
  })

  test('stay as they are until their newer version has arrived', async () => {
    const { rows, edit } = opened(50)
    await expect.poll(() => rows.row(0)?.version).toBe(0)
    edit()
    rows.refresh()
    expect(rows.row(0)?.version).toBe(0)
    await expect.poll(() => rows.row(0)?.version).toBe(1)
    rows.close()
  })
})

test('a search of sessions is read from its address and asked of the API', () => {
  const search = sessionSearch('q=a%26b&status=failed&model=m&from=2026-11-01&to=2026-11-02')
  expect(searchText(search)).toBe('q=a%26b&status=failed&model=m&from=2026-11-01&to=2026-11-02')
  expect(apiQuery(search)).toEqual({
    q: 'a&b',
    status: 'failed',
    model: 'm',
    from: new Date('2026-11-01T00:00:00').toISOString(),
    to: new Date('2026-11-03T00:00:00').toISOString(),
  })
  expect(searchText(sessionSearch('status=odd&from=yesterday&to=2026-13-01'))).toBe('')
})
