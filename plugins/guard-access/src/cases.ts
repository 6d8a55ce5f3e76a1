import { baseSegments, segmentsOf } from '@amodal/sdk/connections'
import { parseExact } from '@amodal/sdk/data'
import type { Action, Json } from '@amodal/sdk'
import {
  bodyReadings,
  httpMethodOf,
  readOperations,
  readingsOf,
} from '@amodal/plugin-connect-rest/tokens'
import { type Body, readBody } from './body.ts'
import type { Covering, RuleBook } from './rules.ts'

/** One interpretation of an action, with the rules that cover it. */
export interface Case {
  readonly action: Action
  /** For people. */
  readonly name: string
  readonly covering: readonly Covering[]
  readonly write: boolean
  readonly body: Body
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])
export const isRead = ({ protocol, method }: Action): boolean =>
  protocol === 'rest' && READS.has(method)

/**
 * All interpretations of an action: of its path, and of each root field of each GraphQL document.
 * There is at least one.
 *
 * @param base the beginning of the path that the connection brings itself
 */
export function casesOf(book: RuleBook, action: Action, base: string): readonly Case[] {
  const { protocol, method, path, effect, body } = action
  if (protocol === 'mcp')
    return [
      {
        action,
        name: `the tool ${path}`,
        covering: book.onTool(path),
        write: effect === 'write',
        body: readBody(body),
      },
    ]
  return method === 'QUERY' || method === 'MUTATION'
    ? graphqlCases(book, action, base)
    : pathCases(book, action, method, base)
}

function pathCases(book: RuleBook, action: Action, method: string, base: string): readonly Case[] {
  const common = {
    action,
    name: `${method} ${action.path}`,
    write: !READS.has(method) || action.body !== undefined,
  }
  const bodies = bodyReadings(action.body, action.media).map(readBody)
  return pathsOf(action, base).flatMap((segments) =>
    [false, true].flatMap((numeric) => {
      const covering = book.onPath(method, segments, numeric)
      return bodies.map((body) => ({ ...common, body, covering }))
    }),
  )
}

/** The path below the base path in each interpretation; from the root if it leaves the base. */
function pathsOf({ path }: Action, base: string): readonly (readonly string[])[] {
  const root = baseSegments(base)
  const paths = new Map<string, readonly string[]>()
  for (const reading of readingsOf(path)) {
    const segments = segmentsOf(reading) ?? []
    const below = root.every((segment, at) => segments[at] === segment)
      ? segments.slice(root.length)
      : segments
    paths.set(below.join('/'), below)
  }
  return [...paths.values()]
}

/**
 * What runs when an operation of GraphQL is sent: its own rules, else those for any, else those of
 * the endpoint.
 */
function graphqlCases(book: RuleBook, action: Action, base: string): readonly Case[] {
  const endpoint = pathCases(book, action, httpMethodOf(action), base)
  return documentsOf(action).flatMap(({ kind, fields, bodies }) => {
    const words = operationWords(kind, fields.length > 0)
    const named = fields.length > 0 ? fields : [undefined]
    return words.flatMap((word) =>
      named.flatMap((field) =>
        bodies.flatMap((body): readonly Case[] => {
          const covering = book.onField(word, field)
          const common = {
            action,
            name: field === undefined ? `an operation of ${action.path}` : `${word} ${field}`,
            write: kind === 'mutation',
            body,
          }
          return covering.length > 0
            ? [{ ...common, covering }]
            : endpoint.map((one) => ({ ...common, covering: one.covering }))
        }),
      ),
    )
  })
}

/** The words of rules that may cover a document; an unparsed one may be of any kind. */
function operationWords(
  kind: Document['kind'],
  hasFields: boolean,
): readonly ('QUERY' | 'MUTATION')[] {
  if (kind === 'query') return ['QUERY']
  return hasFields ? ['MUTATION'] : ['MUTATION', 'QUERY']
}

/** A document, and every body that its thresholds may mean. */
interface Document {
  readonly kind: 'query' | 'mutation'
  readonly fields: readonly string[]
  readonly bodies: readonly Body[]
}

/**
 * Documents of the body and of the address; servers differ in which one they run, and with which
 * variables.
 */
function documentsOf(action: Action): readonly Document[] {
  const { query, body } = action
  const sent = readBody(body)
  const [variables] = (query['variables'] ?? []).map(jsonOf)
  const [operationName, ...others] = query['operationName'] ?? []
  const inAddress = (query['query'] ?? []).flatMap((text) =>
    readOperations({
      query: text,
      ...(operationName !== undefined && others.length === 0 && { operationName }),
      ...(variables !== undefined && { variables }),
    }),
  )
  const inBody = httpMethodOf(action) === 'GET' ? [] : readOperations(body)
  return [
    ...inBody.map(({ kind, fields, body: own }) => ({
      kind,
      fields,
      bodies: [
        Object.keys(own).length > 0 ? jsonBody(own) : sent,
        ...(variables === undefined ? [] : [jsonBody({ ...own, variables })]),
      ],
    })),
    ...inAddress.map(({ kind, fields, body: own }) => ({
      kind,
      fields,
      bodies: [jsonBody(own), ...(sent.kind === 'none' ? [] : [sent])],
    })),
  ]
}

const jsonBody = (value: Json): Body => ({ kind: 'json', value, twins: false })
const jsonOf = (text: string): Json => {
  try {
    return parseExact(text) as Json
  } catch {
    return text
  }
}
