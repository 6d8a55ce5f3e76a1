import type { Json } from '@amodal/sdk'
import { asJson, type Place, type ParsedText } from './parsed-text.ts'

const HARMLESS =
  /^(?:CREATE|DROP|ALTER|SET|BEGIN|COMMIT|START|LOCK|UNLOCK|USE|PRAGMA|TRUNCATE|ROLLBACK)\b/i
const INSERT =
  /^(?:INSERT|REPLACE)\s+(?:OR\s+\w+\s+|IGNORE\s+)?INTO\s+([\w."`[\]]+)\s*(?:\(([^()]*)\))?\s*VALUES\s*/i
const UPDATE = /^UPDATE\s+([\w."`[\]]+)\s+SET\s+/i
const CREATE =
  /^CREATE\s+(?:TEMP(?:ORARY)?\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w."`[\]]+)\s*\(([^]*)\)/i
const MOST_CHARS = 5_000_000

/**
 * A dump of a database: what it inserts, by the columns it names. Anything else in it is not
 * understood.
 */
export function readSql(text: string, _place: Place): ParsedText | undefined {
  if (
    text.length > MOST_CHARS ||
    !/^\s*(?:--|\/\*|INSERT|REPLACE|CREATE|DROP|SET|BEGIN|UPDATE|START|LOCK|USE|PRAGMA)/i.test(text)
  )
    return undefined
  const tables: Json[] = []
  const columns = new Map<string, readonly string[]>()
  for (const statement of statementsOf(text)) {
    const [, created, inside] = CREATE.exec(statement) ?? []
    if (created !== undefined) columns.set(bare(created), columnsIn(inside ?? ''))
    if (HARMLESS.test(statement)) continue
    const read = insertOf(statement, columns) ?? updateOf(statement)
    if (!read) return undefined
    tables.push(read)
  }
  return tables.length === 0 ? undefined : { value: tables, render: asJson }
}

function insertOf(
  statement: string,
  known: ReadonlyMap<string, readonly string[]>,
): Json | undefined {
  const [head, table, listed] = INSERT.exec(statement) ?? []
  if (head === undefined || table === undefined) return undefined
  const columns = listed === undefined ? known.get(bare(table)) : listed.split(',').map(bare)
  const rows = tuplesOf(statement.slice(head.length))
  return columns && rows?.every((row) => row.length === columns.length)
    ? { table: bare(table), columns, rows }
    : undefined
}

function updateOf(statement: string): Json | undefined {
  const [head, table] = UPDATE.exec(statement) ?? []
  if (head === undefined || table === undefined) return undefined
  const pairs = partsOf(statement.slice(head.length).replace(/\s+WHERE\s+/i, ','), ',')
    .flatMap((part) => part.split(/\s+AND\s+/i))
    .map((part) => /^\s*([\w."`[\]]+)\s*=\s*([^]*)$/.exec(part))
  return pairs.every((pair) => pair !== null)
    ? {
        table: bare(table),
        set: pairs.map((pair) => ({ [bare(pair?.[1] ?? '')]: literal(pair?.[2] ?? '') })),
      }
    : undefined
}

const bare = (name: string): string =>
  name
    .trim()
    .replace(/^.*\./, '')
    .replaceAll(/["`[\]]/g, '')
const columnsIn = (inside: string): readonly string[] =>
  partsOf(inside, ',')
    .map((part) => part.trim())
    .filter((part) => !/^(?:PRIMARY|UNIQUE|KEY|INDEX|CONSTRAINT|FOREIGN|CHECK)\b/i.test(part))
    .map((part) => bare(part.split(/\s+/)[0] ?? ''))

/** Statements without remarks; a semicolon between quotes is a part of its text. */
function statementsOf(text: string): readonly string[] {
  const plain = text.replaceAll(/^\s*--[^\n]*$/gm, '').replaceAll(/\/\*[^]*?\*\//g, '')
  return partsOf(plain, ';')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/** Parts of a text between marks that stand neither in quotes nor in brackets. */
function partsOf(text: string, mark: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === "'" || char === '"' || char === '`') at = endOfQuote(text, at)
    else if (char === '(') depth++
    else if (char === ')') depth--
    else if (char === mark && depth <= 0) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, text.slice(start)]
}

function endOfQuote(text: string, from: number): number {
  const quote = text.charAt(from)
  for (let at = from + 1; at < text.length; at++) {
    if (text.charAt(at) === '\\') at++
    else if (text.charAt(at) === quote) {
      if (text.charAt(at + 1) !== quote) return at
      at++
    }
  }
  return text.length
}

function tuplesOf(text: string): readonly (readonly Json[])[] | undefined {
  const rows: (readonly Json[])[] = []
  for (const part of partsOf(text, ',')) {
    const inside = /^\s*\(([^]*)\)\s*$/.exec(part)?.[1]
    if (inside === undefined) return undefined
    rows.push(partsOf(inside, ',').map(literal))
  }
  return rows.length === 0 ? undefined : rows
}

function literal(text: string): Json {
  const bareText = text.trim()
  if (/^null$/i.test(bareText)) return null
  if (/^-?\d+(?:\.\d+)?$/.test(bareText)) return Number(bareText)
  const quoted = /^[A-Za-z]?(['"])([^]*)\1/.exec(bareText)?.[2]
  return quoted === undefined ? bareText : quoted.replaceAll("''", "'").replaceAll(/\\(.)/g, '$1')
}
