import {
  type Action,
  type ApiDocument,
  type ApiEndpoint,
  type BodyMedia,
  type ContextInjection,
  err,
  isObject,
  type Json,
  type JsonObject,
  ok,
  type RestAuth,
  type Result,
} from '@amodal/sdk'
import { Issues, readJson } from '@amodal/sdk/files'
import { canonicalTarget, readingsOf, type Target } from './canonical.ts'
import { readOperations } from './graphql-operations.ts'
import { canonicalHeaders, OVERRIDES } from './headers.ts'
import {
  fixedParameters,
  type Looked,
  mediaFor,
  operationNamed,
  operationsAt,
} from './operation.ts'
import { servedElsewhere } from './documents/servers.ts'
import { bodyReadings, payloadOf } from './payload.ts'
import { canonicalQuery, type Query } from './query.ts'

/**
 * The parts of a connection that determine where its requests go, and what a caller may not set.
 */
export interface ActionConnection {
  readonly name: string
  /** Resolved. */
  readonly baseUrl: string
  readonly format?: 'rest' | 'openapi' | 'graphql'
  readonly auth?: RestAuth
  readonly headers?: Readonly<Record<string, string>>
  readonly contextInjection?: readonly ContextInjection[]
  /** What its API document says, for the form of bodies. */
  readonly document?: ApiDocument
  /** Its target drops a repeat with the same `Idempotency-Key`. */
  readonly idempotent?: boolean
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])
const METHODS = new Set([...READS, 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * What a call of `request` does outside, in the one spelling that guards judge and `execute` sends.
 * What the caller says of itself (`intent`) is not looked at, and what the connection fills itself
 * is taken out.
 *
 * @param args `method`, `endpoint`, `params`, `data`, `headers` as a model passed them
 * @returns an error text for the model where the request is not well formed
 * @example actionOf({ name: 'crm', baseUrl: 'https://api.example.com/v1' }, { method: 'get', endpoint: '/deals//7' })
 */
export function actionOf(connection: ActionConnection, args: JsonObject): Result<Action, string> {
  const base = URL.parse(connection.baseUrl)
  if (!base) return err(`the address of "${connection.name}" is no URL`)
  const { data } = args
  const method = methodOf(args['method'])
  if (!method.ok) return method
  const given = targetOf(connection, base, method.value, args)
  if (!given.ok) return given
  const { target, params } = given.value
  const asked = canonicalQuery(target.query, params)
  if (!asked.ok) return asked
  const headers = canonicalHeaders(given.value.headers, ownHeaders(connection))
  if (!headers.ok) return headers
  const { path } = target
  const query = withoutOwn(asked.value, connection)
  const body = data === undefined || data === null ? undefined : data
  const sent = { method: method.value, path, base: base.pathname, query, headers: headers.value }
  const { document } = connection
  const operation = given.value.operation ?? (document && operationsAt(document, sent)[0])
  const server = operation && servedElsewhere(operation, base)
  if (server !== undefined)
    return err(
      `the API document says that ${method.value} ${path} is served at ${server}, and not at ${base.origin}${base.pathname}: a connection of its own, with that address, can call it`,
    )
  const media = mediaOf(sent, operation, body)
  if (!media.ok) return media
  const overridden = overrideOf(method.value, query, headers.value, bodyReadings(body, media.value))
  if (overridden !== undefined) return err(overridden)
  const graphql = graphqlOf(method.value, path, query, body, connection)
  if (graphql && !graphql.ok) return graphql
  const read = graphql ? graphql.value === 'QUERY' : READS.has(method.value) && body === undefined
  return ok({
    connection: connection.name,
    protocol: 'rest',
    method: graphql?.value ?? method.value,
    path,
    base: base.pathname,
    origin: base.origin,
    query,
    headers: headers.value,
    ...(body === undefined ? {} : { body }),
    ...(media.value && { media: media.value }),
    ...(read
      ? { effect: 'read' }
      : { effect: 'write', ...(connection.idempotent ? { keyed: true } : {}) }),
  })
}

interface Given {
  readonly target: Target
  readonly params: Json | undefined
  readonly headers: Json | undefined
  readonly operation?: ApiEndpoint
}

/**
 * Where a request goes. A fragment that an operation of the document has names that operation, and
 * is not sent.
 */
function targetOf(
  { document }: ActionConnection,
  base: URL,
  method: string,
  { endpoint, params, headers }: JsonObject,
): Result<Given, string> {
  if (typeof endpoint !== 'string') return err('`endpoint` is a path, such as /deals/7')
  const hash = endpoint.indexOf('#')
  if (document && hash !== -1) {
    const target = canonicalTarget(base, endpoint.slice(0, hash))
    const operation = target.ok
      ? operationNamed(document, endpoint.slice(hash + 1), {
          method,
          path: target.value.path,
          base: base.pathname,
        })
      : undefined
    if (target.ok && operation)
      return ok({
        target: target.value,
        params,
        headers,
        ...fixedParameters(operation, params, headers),
        operation,
      })
  }
  const target = canonicalTarget(base, endpoint)
  return target.ok ? ok({ target: target.value, params, headers }) : target
}

/**
 * How the body is written, as far as it is not JSON; it is written once to see whether it can be.
 */
function mediaOf(
  looked: Looked,
  operation: ApiEndpoint | undefined,
  body: Json | undefined,
): Result<BodyMedia | undefined, string> {
  if (body === undefined) return ok(undefined)
  const media = mediaFor(operation, body, looked.headers['content-type'])
  if (!media.ok || !media.value) return media
  const written = payloadOf(body, media.value)
  return written.ok
    ? media
    : err(`the body cannot be sent as ${media.value.type}: ${written.error}`)
}

/**
 * The HTTP method of an action: operations of GraphQL are posted, but for those that stand in the
 * address.
 */
export function httpMethodOf({ method, body, query }: Action): string {
  if (method !== 'QUERY' && method !== 'MUTATION') return method
  return body === undefined && query['query'] !== undefined ? 'GET' : 'POST'
}

function methodOf(given: Json | undefined): Result<string, string> {
  if (given === undefined) return ok('GET')
  const method = typeof given === 'string' ? given.toUpperCase() : ''
  return METHODS.has(method) ? ok(method) : err(`the method is one of ${[...METHODS].join(', ')}`)
}

/** Headers, in lower case, that only the connection fills. */
function ownHeaders({
  auth,
  headers = {},
  contextInjection = [],
}: ActionConnection): ReadonlySet<string> {
  const own = [
    ...Object.keys(headers),
    ...contextInjection.filter((one) => one.in === 'header').map(({ field }) => field),
  ]
  if (auth && (auth.kind === 'header' || auth.kind === 'oauth2')) own.push(auth.header)
  return new Set(own.map((name) => name.toLowerCase()))
}

/** Parameters that the connection fills are not the caller's, in any case and with any brackets. */
function withoutOwn(query: Query, { auth, contextInjection = [] }: ActionConnection): Query {
  const own = new Set(
    [
      ...(auth?.kind === 'query' ? [auth.param] : []),
      ...contextInjection.filter((one) => one.in === 'query').map(({ field }) => field),
    ].map(plainName),
  )
  return own.size === 0
    ? query
    : Object.fromEntries(Object.entries(query).filter(([name]) => !own.has(plainName(name))))
}

const plainName = (name: string): string => name.toLowerCase().replace(/\[.*$/s, '')

/** A request that says it is another one is refused, unless it says the same. */
function overrideOf(
  method: string,
  query: Query,
  headers: Readonly<Record<string, string>>,
  bodies: readonly (Json | undefined)[],
): string | undefined {
  const overrides: readonly (Json | undefined)[] = [
    ...OVERRIDES.map((name) => headers[name]),
    ...Object.entries(query).flatMap(([name, values]) =>
      plainName(name) === '_method' ? values : [],
    ),
    ...bodies
      .flatMap(bodiesOf)
      .flatMap((one) =>
        Object.entries(one).flatMap(([name, value]) =>
          plainName(name) === '_method' ? [value] : [],
        ),
      ),
  ]
  const other = overrides.filter(
    (value) =>
      value !== undefined && !(typeof value === 'string' && value.toUpperCase() === method),
  )
  return other.length === 0
    ? undefined
    : `the request says ${method} and asks to be taken as ${JSON.stringify(other[0])}: say the method itself`
}

/** The fields of a body, in each way in which a server might read it. */
function bodiesOf(body: Json | undefined): readonly JsonObject[] {
  if (isObject(body)) return [body]
  if (typeof body !== 'string') return []
  const form: JsonObject[] = [...new URLSearchParams(body.trim())].map(([name, value]) => ({
    [name]: value,
  }))
  const issues = new Issues()
  const json = readJson({ path: 'body', text: body }, issues)
  if (!json || !isObject(json.value)) return form
  // Of a name that is there twice servers take the first or the last.
  return [
    ...form,
    json.value,
    ...(issues.sorted().length > 0 &&
    Object.keys(json.value).some((name) => plainName(name) === '_method')
      ? [{ _method: 'either' }]
      : []),
  ]
}

function graphqlOf(
  method: string,
  path: string,
  query: Query,
  body: Json | undefined,
  { format, baseUrl }: ActionConnection,
): Result<'QUERY' | 'MUTATION', string> | undefined {
  const isEndpoint =
    readingsOf(path).some((reading) => /(^|\/)graphql\/*$/i.test(reading)) ||
    (format === 'graphql' &&
      path.replace(/\/$/, '') === URL.parse(baseUrl)?.pathname.replace(/\/$/, ''))
  if (!isEndpoint || (method !== 'POST' && method !== 'GET')) return undefined
  const inAddress = query['query'] ?? []
  if (method === 'GET' && (body !== undefined || inAddress.length === 0)) return undefined
  if (method === 'POST' && body === undefined && inAddress.length > 0)
    return err('put the operation into `data`: { "query": "…" }')
  const operations = [
    ...(method === 'POST' ? readOperations(body) : []),
    ...inAddress.flatMap((text) => readOperations({ query: text, ...one('operationName', query) })),
  ]
  return ok(operations.every(({ kind }) => kind === 'query') ? 'QUERY' : 'MUTATION')
}

const one = (name: string, query: Query): JsonObject =>
  query[name]?.length === 1 ? { [name]: query[name][0] ?? '' } : {}
