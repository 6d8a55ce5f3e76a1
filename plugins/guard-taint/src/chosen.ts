import {
  type Action,
  isList,
  isObject,
  type Json,
  type JsonObject,
  type PreparedCall,
} from '@amodal/sdk'
import { parseExact, isExact } from '@amodal/sdk/data'
import { isCode, isCount, purposeOf, type Purpose } from './field-name.ts'
import { numberIn } from './normal.ts'

/** A value that decides what a call does: to whom, where, how much, what is run. */
export interface Chosen {
  /** Where it stands: `path`, `query.to`, `body.items[0].amount`. */
  readonly field: string
  readonly value: string | number
}

const EMAIL =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu
const LINK = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`]+|\bwww\.[^\s<>"'`]+|\bmailto:[^\s<>"'`]+/gi
const ACCOUNT =
  /(?<![\p{L}\p{N}])[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,4})?(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])\+?\d(?:[\s().\/-]{0,2}\d){6,}(?![\p{L}\p{N}])/gu
const DATE =
  /^\d{4}-\d{2}(-\d{2})?([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$|^\d{1,2}:\d{2}(:\d{2})?$|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$|^P(?:\d|T\d)[\dTYMWDHS]*$/
/** With a digit or a mark that words have not: ids, handles, channels, hosts, paths. */
const TOKEN = /[\d@#/\\:~$]|[\p{L}\p{N}]\.[\p{L}\p{N}]|_|[\p{L}\p{N}]-[\p{L}\p{N}]*\d/u

/** The values that decide what a call does; texts for people to read are left out. */
export function chosenBy(call: PreparedCall): readonly Chosen[] {
  const { action, args } = call
  return action ? chosenInAction(action) : chosenIn(args, 'args', '')
}

/** The parts of the path of a call, decoded; none, where it has no path. */
export const pathOf = ({ action }: PreparedCall): readonly string[] =>
  action?.protocol === 'rest' ? segmentsOf(belowBase(action.path, action.base)) : []

function chosenInAction({
  protocol,
  method,
  path,
  base,
  query,
  headers,
  body,
}: Action): readonly Chosen[] {
  if (protocol === 'mcp') return chosenIn(body ?? null, 'args', '')
  const graphql = method === 'QUERY' || method === 'MUTATION'
  return [
    ...(protocol === 'web'
      ? [{ field: 'url', value: path }]
      : segmentsOf(belowBase(path, base)).map((value) => ({ field: 'path', value }))),
    ...Object.entries(query).flatMap(([name, values]) =>
      values.flatMap((value) => textIn(value, `query.${name}`, name, graphql && name === 'query')),
    ),
    ...Object.entries(headers).flatMap(([name, value]) =>
      PLAIN_HEADERS.has(name) ? [] : textIn(value, `headers.${name}`, name, false),
    ),
    ...(body === undefined ? [] : chosenIn(body, 'body', '', graphql)),
  ]
}

const PLAIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-type',
  'content-language',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'prefer',
  'idempotency-key',
])

/** A path without the beginning that the connection brings itself. */
export function belowBase(path: string, base = ''): string {
  const own = base.replace(/\/$/, '')
  return own !== '' && `${path}/`.startsWith(`${own}/`) ? path.slice(own.length) : path
}

/** A path as its parts, decoded. */
function segmentsOf(path: string): readonly string[] {
  return path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => {
      try {
        return decodeURIComponent(part)
      } catch {
        return part
      }
    })
}

/** @param graphql `query` of it is a document, of which the literals count */
export function chosenIn(
  value: Json,
  field: string,
  name: string,
  graphql = false,
): readonly Chosen[] {
  if (isList(value))
    return value.flatMap((item, at) => chosenIn(item, `${field}[${at}]`, name, graphql))
  if (isObject(value)) return chosenInObject(value, field, graphql)
  // more digits than a number has here: compared as what it is written as
  if (isExact(value)) return chosenIn(value.digits, field, name, graphql)
  if (typeof value === 'string')
    return textIn(value, field, name, graphql && (name === 'query' || name === ''))
  return typeof value === 'number' && isChoice(value, name) ? [{ field, value }] : []
}

function chosenInObject(object: JsonObject, field: string, graphql: boolean): readonly Chosen[] {
  return Object.entries(object).flatMap(([key, item]) => [
    ...hardIn(key).map((value) => ({ field: `name of ${field}`, value })),
    ...chosenIn(item, `${field}.${key}`, key, graphql),
  ])
}

/** Amounts and ids; not how many are shown, nor a plain yes or no. */
function isChoice(value: number, name: string): boolean {
  const purpose = purposeOf(name)
  if (purpose === 'chooses') return true
  return purpose === 'open' && !isCount(name) && value !== 0 && value !== 1
}

function textIn(text: string, field: string, name: string, document: boolean): readonly Chosen[] {
  if (document) return literalsIn(text).map((value) => ({ field, value }))
  const nested = jsonIn(text)
  if (nested !== undefined) return chosenIn(nested, field, name)
  return valuesIn(text, purposeOf(name), name).map((value) => ({ field, value }))
}

function valuesIn(text: string, purpose: Purpose, name: string): readonly (string | number)[] {
  const whole = text.trim()
  if (purpose === 'says' || whole === '' || !/[\p{L}\p{N}]/u.test(whole) || DATE.test(whole))
    return []
  if (purpose === 'chooses') {
    const emails = isCode(name) ? [] : (whole.match(EMAIL) ?? [])
    return emails.length > 0 ? emails : [whole]
  }
  if (/\s/.test(whole)) return hardIn(whole)
  return TOKEN.test(whole) && !(numberIn(whole) !== undefined && !isChoice(Number(whole), name))
    ? [whole]
    : []
}

/** Addresses and accounts, which are what they are wherever they stand. */
function hardIn(text: string): readonly string[] {
  return [...(text.match(EMAIL) ?? []), ...(text.match(LINK) ?? []), ...(text.match(ACCOUNT) ?? [])]
}

/** What a text is that holds JSON. */
function jsonIn(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return parseExact(text) as Json
  } catch {
    return undefined
  }
}

/** What a GraphQL document gives its fields, and the fields that are given something. */
function literalsIn(document: string): readonly (string | number)[] {
  const strings = [...document.matchAll(/"""([\s\S]*?)"""|"((?:[^"\\\n]|\\.)*)"/g)]
    .map(([, block, plain]) => block ?? plain ?? '')
    .filter((text) => text !== '')
  const rest = document.replace(/"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"/g, ' ').replace(/#[^\n]*/g, ' ')
  const numbers = [...rest.matchAll(/(?<![\w$])-?\d+(?:\.\d+)?(?![\w])/g)].map(([text]) =>
    Number(text),
  )
  const fields = [...rest.matchAll(/(?<![\w$@])([A-Za-z_]\w*)\s*\(/g)]
    .map(([, name = '']) => name)
    .filter((name) => !/^(query|mutation|subscription)$/.test(name))
  return [...strings, ...numbers.filter((number) => number !== 0 && number !== 1), ...fields]
}
