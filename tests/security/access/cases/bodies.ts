import { table, tiers } from '../table.ts'

const BULK = tiers({
  'POST /open': 'allow',
  'POST /asks': 'confirm',
  'POST /reviewed': 'review',
  'POST /closed': 'never',
  'DELETE /open': 'allow',
  'GET /list': 'allow',
})
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const many = (count: number): readonly { readonly id: number }[] =>
  Array.from({ length: count }, (_, id) => ({ id }))
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, id) => id)
const pairs = (name: string, count: number): string =>
  numbers(count)
    .map((id) => `${name}=${id}`)
    .join('&')

export const bodyCases = [
  ...table({ group: 'bulk', rule: 8, access: BULK }, [
    ['six', 'POST /open', 'review', 'six items', { data: many(6) }],
    ['five', 'POST /open', 'allow', 'five items are not bulk', { data: many(5) }],
    ['six-asks', 'POST /asks', 'review', 'six items', { data: many(6) }],
    ['five-asks', 'POST /asks', 'confirm', 'five items are not bulk', { data: many(5) }],
    ['hundred', 'POST /asks', 'review', 'a hundred items', { data: many(100) }],
    ['reviewed', 'POST /reviewed', 'review', 'at least review, and no more', { data: many(6) }],
    ['closed', 'POST /closed', 'never', 'never stays never', { data: many(6) }],
    ['unlisted', 'POST /elsewhere', 'review', 'six items', { data: many(6) }],
    ['unlisted-put', 'PUT /elsewhere', 'review', 'six items', { data: { items: many(6) } }],
    ['field', 'POST /open', 'review', 'six items in a field', { data: { items: many(6) } }],
    ['field-five', 'POST /open', 'allow', 'five items in a field', { data: { items: many(5) } }],
    [
      'field-scalars',
      'POST /asks',
      'review',
      'items may be plain values',
      { data: { ids: numbers(6) } },
    ],
    [
      'second-field',
      'POST /asks',
      'review',
      'any of the fields',
      { data: { note: 'x', a: [1], b: numbers(7) } },
    ],
    [
      'two-short-fields',
      'POST /asks',
      'confirm',
      'lists are not added up',
      { data: { a: numbers(4), b: numbers(4) } },
    ],
    ['one-down', 'POST /asks', 'review', 'one level down', { data: { batch: { items: many(6) } } }],
    [
      'one-down-five',
      'POST /asks',
      'confirm',
      'five items one level down',
      { data: { batch: { items: many(5) } } },
    ],
    [
      'two-down',
      'POST /asks',
      'confirm',
      'two levels down are content',
      { data: { a: { b: { items: many(6) } } } },
    ],
    ['nested', 'POST /asks', 'review', 'a list in a list', { data: [numbers(6)] }],
    [
      'in-the-only-item',
      'POST /asks',
      'review',
      'a list in the only item',
      { data: [{ ids: numbers(6) }] },
    ],
    [
      'in-two-items',
      'POST /asks',
      'confirm',
      'three and three are not six in one list',
      { data: [{ ids: numbers(3) }, { ids: numbers(3) }] },
    ],
    ['delete', 'DELETE /open', 'review', 'a delete with a body', { data: { ids: numbers(6) } }],
    [
      'delete-query',
      'DELETE /open?ids=1,2,3,4,5,6',
      'allow',
      'the rule is on bodies',
      { orStricter: true },
    ],
    [
      'holes',
      'POST /asks',
      'review',
      'empty items are items',
      { data: [null, null, null, null, null, null] },
    ],
    ['empty', 'POST /asks', 'confirm', 'no items', { data: [] }],
    [
      'object-of-six',
      'POST /asks',
      'confirm',
      'six fields are one item',
      { data: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7 } },
    ],
    [
      'long-text',
      'POST /asks',
      'confirm',
      'a long text is one item',
      { data: { text: 'a, b, c, d, e, f, g' } },
    ],
    ['no-body', 'POST /asks', 'confirm', 'no body'],
    [
      'read',
      'GET /list',
      'allow',
      'a read of many is no bulk write',
      { params: { ids: numbers(20) } },
    ],
  ]),
  ...table({ group: 'texts', rule: 8, access: BULK }, [
    [
      'json-list',
      'POST /asks',
      'review',
      'a text that is JSON is read as JSON',
      { data: JSON.stringify(many(6)) },
    ],
    ['json-list-five', 'POST /asks', 'confirm', 'five items', { data: JSON.stringify(many(5)) }],
    [
      'json-field',
      'POST /open',
      'review',
      'a text that is JSON is read as JSON',
      { data: JSON.stringify({ items: many(6) }) },
    ],
    [
      'json-spaced',
      'POST /open',
      'review',
      'spaces around it do not count',
      { data: `\n  ${JSON.stringify(many(6))}\n` },
    ],
    [
      'json-typed',
      'POST /open',
      'review',
      'a text that is JSON',
      {
        data: JSON.stringify(many(6)),
        headers: { 'Content-Type': 'application/json; charset=utf-8' },
      },
    ],
    [
      'json-typed-otherwise',
      'POST /open',
      'review',
      'what it says it is does not count',
      { data: JSON.stringify(many(6)), headers: { 'Content-Type': 'text/plain' } },
    ],
    [
      'json-in-a-field',
      'POST /asks',
      'confirm',
      'a text inside a body is content',
      { data: { text: JSON.stringify(many(6)) }, orStricter: true },
    ],
    [
      'form',
      'POST /asks',
      'review',
      'a name that comes six times is a list of six',
      { data: pairs('id', 6), headers: FORM },
    ],
    [
      'form-brackets',
      'POST /asks',
      'review',
      'a name that comes six times is a list of six',
      { data: pairs('ids[]', 6), headers: FORM },
    ],
    ['form-five', 'POST /asks', 'confirm', 'five times', { data: pairs('id', 5), headers: FORM }],
    [
      'form-many-names',
      'POST /asks',
      'confirm',
      'seven names are one item',
      { data: 'a=1&b=2&c=3&d=4&e=5&f=6&g=7', headers: FORM },
    ],
    [
      'text',
      'POST /open',
      'allow',
      'a plain text',
      { data: 'Called; will decide on Monday.', headers: { 'Content-Type': 'text/plain' } },
    ],
    ['empty', 'POST /asks', 'confirm', 'an empty text', { data: '' }],
  ]),
]
