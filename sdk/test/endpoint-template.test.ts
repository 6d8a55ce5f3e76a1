import { describe, expect, test } from 'vitest'
import {
  compareTemplates,
  matchTemplate,
  parseTemplate,
  segmentsOf,
  type Template,
} from '../src/connections/index.ts'

function templateOf(path: string): Template {
  const parsed = parseTemplate(path)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}
const values = (template: string, path: string): Readonly<Record<string, string>> | undefined => {
  const found = matchTemplate(templateOf(template), segmentsOf(path) ?? [], false)
  return found && Object.fromEntries(found)
}

describe('a template', () => {
  test.each([
    ['/deals/{id}', '/deals/7', { id: '7' }],
    ['/deals/{id}', '/deals', undefined],
    ['/deals/{id}', '/deals/7/notes', undefined],
    ['/deals/*', '/deals/7', { '': '7' }],
    ['/files/{name}.json', '/files/a.b.json', { name: 'a.b' }],
    ['/files/{name}.json', '/files/.json', undefined],
    ['/files/{name}.json', '/files/a.csv', undefined],
    ['/v{n}/x', '/v12/x', { n: '12' }],
    ['/a/**', '/a', {}],
    ['/a/**', '/a/b/c', {}],
    ['/a/**/z', '/a/z', {}],
    ['/a/**/z', '/a/b/c/z', {}],
    ['/a/**/z', '/a/b/c', undefined],
    ['/a/**/{id}/z', '/a/b/7/z', { id: '7' }],
    ['/**', '/', {}],
    ['/q1%20Summary/', '/q1 summary', {}],
    ['/a/./b/../c', '/a/c', {}],
    ['/a%2Fb', '/a%2Fb', {}],
    ['/a%2Fb', '/a/b', undefined],
  ])('%s and %s: %j', (template, path, expected) =>
    expect(values(template, path)).toEqual(expected),
  )

  test.each([
    ['/deals/:id', '{name}'],
    ['/deals/<id>', '{name}'],
    ['/deals/[id]', '{name}'],
    ['/deals/{id', '{name}'],
    ['/{a}-{b}', 'one parameter'],
    ['/{a+}', 'letters'],
    ['/{path=**}', 'star'],
    ['/de*ls', 'star'],
    ['/***', 'star'],
    ['/**/x/**', 'once'],
    ['/deals?x=1', 'query.'],
    ['/deals#x', 'query.'],
    ['/deals;v=1', ';'],
    ['/%zz', 'UTF-8'],
    ['/../x', 'root'],
  ])('%s would never match, and is refused', (path, reason) => {
    const parsed = parseTemplate(path)
    expect(parsed.ok ? '' : parsed.error).toContain(reason)
  })

  test('is the more specific the further left it is', () => {
    const ladder = ['/a/b', '/a/{x}.json', '/a/{x}', '/a/**', '/{x}/b', '/**/b', '/**']
    const shuffled = [...ladder]
      .reverse()
      .map(templateOf)
      .sort((one, other) => compareTemplates(other, one))
    expect(shuffled.slice(0, 5)).toEqual(ladder.slice(0, 5).map(templateOf))
    expect(compareTemplates(templateOf('/x/{a}'), templateOf('/x/{b}'))).toBe(0)
  })
})
