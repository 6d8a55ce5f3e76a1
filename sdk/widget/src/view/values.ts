import { h } from './dom.ts'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 1)

/** A value of the agent as a person reads it: fields by their names, a list of objects as table. */
export function values(value: unknown): Node {
  if (isObject(value)) {
    const rows = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined)
    return h(
      'dl',
      {},
      ...rows.flatMap(([name, inner]) => [
        h('dt', {}, name.replaceAll('_', ' ')),
        h('dd', { dir: 'auto' }, isTable(inner) ? table(inner) : textOf(inner)),
      ]),
    )
  }
  if (isTable(value)) return table(value)
  return h('p', { dir: 'auto', class: 'plain' }, textOf(value ?? ''))
}

const isTable = (value: unknown): value is readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject)

function table(rows: readonly Readonly<Record<string, unknown>>[]): Element {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return h(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': names.join(', ') },
    h(
      'table',
      {},
      h('thead', {}, h('tr', {}, ...names.map((name) => h('th', {}, name.replaceAll('_', ' '))))),
      h(
        'tbody',
        {},
        ...rows.map((row) =>
          h('tr', {}, ...names.map((name) => h('td', {}, textOf(row[name] ?? '')))),
        ),
      ),
    ),
  )
}
