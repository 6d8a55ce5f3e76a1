import { type FieldRestriction, type Json, trySync } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import type { Field } from './fields.ts'
import { endOfJson } from './formats/json-text.ts'
import { stemOf } from './names.ts'

/** The replacement of a value; `undefined` if it may stay. */
type Instead = (value: string, restriction: FieldRestriction) => string | undefined

/**
 * Removes restricted values from a text where their field is named: in JSON, in rows under a
 * header, in tags, and after a name.
 */
export function scrubText(
  text: string,
  fields: readonly Field[],
  inside: (value: Json) => Json,
  instead: Instead,
): string {
  const said = throughJson(text, inside)
  if (fields.length === 0) return said
  const named = namesOf(fields)
  if (!named.any.test(said)) return said
  return throughPairs(
    throughTags(throughRows(said, fields, instead), named, instead),
    named,
    instead,
  )
}

const OPEN = /[{[]/g
/** Places at which JSON may begin in a text that is none; a text has few. */
const MOST_PLACES = 50

/** JSON in a text is read, changed and written again; a text that is not changed stays as it is. */
function throughJson(text: string, inside: (value: Json) => Json): string {
  if (!/[{[]/.test(text)) return text
  let out = ''
  let at = 0
  let tried = 0
  for (const { index } of text.matchAll(OPEN)) {
    if (index < at || ++tried > MOST_PLACES) continue
    const end = endOfJson(text, index)
    if (end === undefined) continue
    const part = text.slice(index, end)
    const read = trySync(
      () => parseExact(part) as Json,
      () => undefined,
    )
    if (!read.ok || typeof read.value !== 'object' || read.value === null) continue
    const clean = inside(read.value)
    const changed = JSON.stringify(clean) !== JSON.stringify(read.value)
    out += text.slice(at, index) + (changed ? JSON.stringify(clean) : part)
    at = end
  }
  return out + text.slice(at)
}

interface Names {
  readonly any: RegExp
  readonly pairs: RegExp
  readonly tags: RegExp
  readonly of: (name: string) => FieldRestriction | undefined
}

/** Any spelling of a name, in a text. */
const spelled = (name: string): string =>
  [...name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^\p{L}\p{N}]+/u)]
    .filter(Boolean)
    .join('[\\s_-]?')
const madeFor = new WeakMap<readonly Field[], Names>()

function namesOf(fields: readonly Field[]): Names {
  const known = madeFor.get(fields)
  if (known) return known
  const words = fields.map(({ restriction: { field } }) =>
    spelled(
      field
        .replaceAll(/\[[^\]]*\]/g, '')
        .split('.')
        .at(-1) ?? field,
    ),
  )
  const joined = fields.map(
    ({ restriction: { entity, field } }) =>
      `${spelled(entity)}[\\s_.-]?${spelled(field.split('.').at(-1) ?? field)}`,
  )
  const name = `(?:${[...joined, ...words].join('|')})s?`
  const names: Names = {
    any: new RegExp(`(?<![\\p{L}\\p{N}])${name}(?![\\p{L}\\p{N}])`, 'iu'),
    pairs: new RegExp(
      `(?<![\\p{L}\\p{N}])(?<!\\[redacted:[\\w.]{0,80})(${name})(["'*\`]{0,3}\\s{0,4}(?::|=>?)\\s{0,4}["'*\`]{0,3})("(?:[^"\\\\]|\\\\.)*|[^"'\`\\n\\r,;|<>{}]+)`,
      'giu',
    ),
    tags: new RegExp(`(<(?:[\\w-]+:)?(${name})(?:\\s[^>]*)?>)([^<]+)(?=</)`, 'giu'),
    of: (said) => {
      const plain = stemOf(said)
      return fields.find(({ joined: whole, steps }) => plain === whole || plain === steps.at(-1))
        ?.restriction
    },
  }
  madeFor.set(fields, names)
  return names
}

function throughPairs(text: string, { pairs, of }: Names, instead: Instead): string {
  return text.replaceAll(pairs, (whole: string, name: string, link: string, value: string) => {
    const restriction = of(name)
    const said = value.trim()
    const other =
      restriction && said !== '' && !said.startsWith('[redacted:')
        ? instead(said, restriction)
        : undefined
    return other === undefined ? whole : name + link + value.replace(said, () => other)
  })
}

function throughTags(text: string, { tags, of }: Names, instead: Instead): string {
  return text.includes('</')
    ? text.replaceAll(tags, (whole: string, tag: string, name: string, value: string) => {
        const restriction = of(name)
        const other =
          restriction && value.trim() !== '' ? instead(value.trim(), restriction) : undefined
        return other === undefined ? whole : tag + other
      })
    : text
}

const MARKS = ['\t', '|', ';', ','] as const

/** Rows parted by a mark, under a head that names a restricted field. */
function throughRows(text: string, fields: readonly Field[], instead: Instead): string {
  if (!text.includes('\n')) return text
  const { of } = namesOf(fields)
  let columns: ReadonlyMap<number, FieldRestriction> = new Map()
  let mark: string = ','
  let width = 0
  return text
    .split('\n')
    .map((line) => {
      const cells = columns.size > 0 ? cellsOf(line, mark) : []
      if (columns.size > 0 && cells.length === width) {
        return cells
          .map((cell, at) => {
            const restriction = columns.get(at)
            const value = bare(cell)
            const other =
              restriction && value !== '' && !/^:?-+:?$/.test(value)
                ? instead(value, restriction)
                : undefined
            return other === undefined ? cell : cell.replace(cell.trim(), () => other)
          })
          .join(mark)
      }
      mark = MARKS.find((one) => line.includes(one)) ?? ','
      const heads = cellsOf(line, mark)
      const found =
        heads.length < 2
          ? []
          : heads.flatMap((head, at) => {
              const restriction = of(bare(head))
              return restriction ? [[at, restriction] as const] : []
            })
      columns = new Map(found)
      width = heads.length
      return line
    })
    .join('\n')
}

/** Cells of a row; a mark between quotes is a part of its cell. */
function cellsOf(line: string, mark: string): readonly string[] {
  if (!line.includes('"')) return line.split(mark)
  const cells: string[] = []
  let start = 0
  for (let at = 0, quoted = false; at <= line.length; at++) {
    if (line[at] === '"') quoted = !quoted
    if (at < line.length && (quoted || line[at] !== mark)) continue
    cells.push(line.slice(start, at))
    start = at + 1
  }
  return cells
}

const bare = (cell: string): string => cell.trim().replaceAll(/^["'`*]+|["'`*]+$/g, '')
