import { isList, isObject, type Json, trySync } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { isNameLike } from '../names.ts'
import { yaml } from './libraries.ts'
import { cellText } from './tables.ts'
import type { Place, ParsedText } from './parsed-text.ts'

const MOST_YAML = 200_000
const MOST_ALIASES = 20
const MOST_DEPTH = 50
const MOST_WORDS = 3
const LINE =
  /^(\s*(?:export\s+|[-*]\s+)?(?:"[^"\n]{1,64}"|'[^'\n]{1,64}'|\*\*[^*\n]{1,64}\*\*|[^\s:=;"'][^:=;"'\n]{0,63}?)(?:;[^:\n]{0,200})?\s*(?::=|=>|[:=])\s*)(.*)$/
const REMARK = /^\s*(?:[#;].*|\[[\w .:"-]{1,64}\]|---|\.\.\.|[{}]|BEGIN:\w+|END:\w+)\s*$/

interface Line {
  readonly record: number
  readonly name: string
  readonly before: string
}

/** Lines of `name: value` or `name = value`: settings, heads of messages, cards of addresses. */
export function readLines(text: string, { whole }: Place): ParsedText | undefined {
  const records: Record<string, Json>[] = [{}]
  const lines: (Line | string)[] = []
  for (const line of unfolded(text).split(/\r?\n/)) {
    if (line.trim() === '' || REMARK.test(line)) {
      if (lines.length > 0 && Object.keys(records.at(-1) ?? {}).length > 0) records.push({})
      lines.push(/^\s*[#;]/.test(line) ? '' : line)
      continue
    }
    const [, before, value = ''] = LINE.exec(line) ?? []
    if (before === undefined) return undefined
    const name = before
      .replace(/^\s*(?:export\s+|[-*]\s+)?/, '')
      .replace(/(?:;[^:]*)?\s*(?::=|=>|[:=])\s*$/, '')
      .replaceAll(/^["'*]+|["'*]+$/g, '')
    if (!isFieldName(name)) return undefined
    let record = records.at(-1) ?? {}
    if (Object.hasOwn(record, name)) records.push((record = {}))
    record[name] = unquoted(value)
    lines.push({ record: records.length - 1, name, before })
  }
  const pairs = lines.filter((line) => typeof line !== 'string').length
  if (pairs === 0 || (whole && pairs < 2)) return undefined
  return {
    value: records,
    render: (clean) => lines.flatMap((line) => rendered(line, clean)).join('\n'),
  }
}

function rendered(line: Line | string, clean: Json): readonly string[] {
  if (typeof line === 'string') return [line]
  const record = isList(clean) ? clean[line.record] : undefined
  const value = isObject(record) ? record[line.name] : undefined
  return value === undefined ? [] : [`${line.before}${cellText(value)}`]
}

/** Long lines of cards and heads go on behind a space. */
const unfolded = (text: string): string =>
  /^BEGIN:V|^[\w-]+:[^\n]*\r?\n[ \t]/i.test(text) ? text.replaceAll(/\r?\n[ \t]/g, '') : text
const unquoted = (value: string): string => value.trim().replace(/^(["'])(.*)\1[,;]?$/s, '$2')
const isFieldName = (name: string): boolean =>
  isNameLike(name) && name.trim().split(/\s+/).length <= MOST_WORDS

/** Pairs in one line: a query, a form, cookies, fields of a log. */
export function readInline(text: string, { whole }: Place): ParsedText | undefined {
  const bare = text.trim()
  if (/[\r\n]/.test(bare) || !/[=:]/.test(bare)) return undefined
  const inAddress =
    /^[\w.+-]+:\/\/[^?#\s]*[?#]([^\s]*)$/.exec(bare)?.[1] ??
    (bare.startsWith('?') ? bare.slice(1) : undefined)
  const query = inAddress ?? bare
  if (/^[^\s&=:]+=[^\s&]*(?:&[^\s&=]+(?:=[^\s&]*)?)*$/.test(query)) {
    const before = bare.slice(0, bare.length - query.length)
    const pairs = query
      .split('&')
      .filter((part) => part !== '')
      .map(
        (part) =>
          [decoded(part.split('=')[0] ?? ''), decoded(part.slice(part.indexOf('=') + 1))] as const,
      )
    if (
      !pairs.every(([name]) => isFieldName(name.replaceAll(/[[\]]+/g, '.').replace(/\.$/, ''))) ||
      (whole && pairs.length < 2)
    )
      return undefined
    return pairsUnderstood(
      pairs,
      (clean) =>
        before +
        clean
          .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
          .join('&'),
    )
  }
  for (const mark of [/\s*[;,|]\s*/, /\s+(?=[\w.-]+=)/]) {
    const parts = bare.replace(/[;,|]$/, '').split(mark)
    const pairs = parts.map((part) =>
      /^\s*["']?([^:="']{1,64}?)["']?\s*(?:[:=]|=>)\s*(.*)$/.exec(part),
    )
    const read = pairs.flatMap((pair): readonly (readonly [string, string])[] =>
      pair && isFieldName(pair[1] ?? '') ? [[pair[1] ?? '', unquoted(pair[2] ?? '')]] : [],
    )
    if (
      parts.length > 1 &&
      read.length === parts.length &&
      read.every(([, value]) => value.split(/\s+/).length <= 4)
    )
      return pairsUnderstood(read, (clean) =>
        clean.map(([name, value]) => `${name}: ${value}`).join('; '),
      )
  }
  return undefined
}

function pairsUnderstood(
  pairs: readonly (readonly [string, string])[],
  render: (clean: readonly (readonly [string, string])[]) => string,
): ParsedText {
  // A name that comes twice makes a record of its own.
  const records: Record<string, Json>[] = [{}]
  const places = pairs.map(([name, value]) => {
    let record = records.at(-1) ?? {}
    if (Object.hasOwn(record, name)) records.push((record = {}))
    record[name] = value
    return { record: records.length - 1, name }
  })
  return {
    value: records,
    render: (clean) =>
      render(
        places.flatMap(({ record, name }): readonly (readonly [string, string])[] => {
          const of = isList(clean) ? clean[record] : undefined
          const value = isObject(of) ? of[name] : undefined
          return value === undefined ? [] : [[name, cellText(value)]]
        }),
      ),
  }
}

const decoded = (text: string): string => {
  const read = trySync(
    () => decodeURIComponent(text.replaceAll('+', ' ')),
    () => undefined,
  )
  return read.ok ? read.value : text
}

/** YAML of objects, and whatever it also reads: objects of JavaScript and Python. */
export function readYaml(text: string, { whole }: Place): ParsedText | undefined {
  const flow = /^[{[]/.test(text.trimStart())
  if (
    text.length > MOST_YAML ||
    (flow && depthOf(text) > MOST_DEPTH) ||
    !/[:{]/.test(text) ||
    (!flow && !/\n/.test(text.trim()))
  )
    return undefined
  const source = flow
    ? text
        .replaceAll(/\bNone\b/g, 'null')
        .replaceAll(/\bTrue\b/g, 'true')
        .replaceAll(/\bFalse\b/g, 'false')
    : text
  const read = trySync(
    () => {
      const documents = yaml().parseAllDocuments(source, { uniqueKeys: false, logLevel: 'silent' })
      if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0))
        return undefined
      // YAML gives plain data; what is none of JSON is made a text below
      return documents.map((document) => document.toJS({ maxAliasCount: MOST_ALIASES }) as Json)
    },
    () => undefined,
  )
  const values = read.ok ? read.value?.filter((value) => value !== null) : undefined
  if (!values || values.length === 0) return undefined
  // plain data
  const value = parseExact(JSON.stringify(values.length === 1 ? values[0] : values)) as Json
  if (!isRecords(value, whole)) return undefined
  return { value, render: (clean) => (flow ? JSON.stringify(clean) : yaml().stringify(clean)) }
}

/** Brackets that are open at once. */
function depthOf(text: string): number {
  let [depth, most] = [0, 0]
  for (const [char] of text.matchAll(/[{}[\]]/g))
    most = Math.max(most, (depth += char === '{' || char === '[' ? 1 : -1))
  return most
}

/** Objects with names that are names, and not the beginnings of sentences. */
function isRecords(value: Json, whole: boolean): boolean {
  if (isList(value)) return value.length > 0 && value.every((one) => isRecords(one, whole))
  return (
    isObject(value) &&
    Object.keys(value).length > 0 &&
    (!whole ||
      Object.keys(value).every((name) => isFieldName(name) || /^[\w.@-]{1,64}$/.test(name)))
  )
}
