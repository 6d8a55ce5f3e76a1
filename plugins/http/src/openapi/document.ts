import { isObject, type ErrorKind, type JsonObject, type MountedRoute } from '@amodal/sdk'
import { agentEventSchemas, runtimeEventSchemas, type EventKind } from '@amodal/sdk/inspection'
import type { z } from 'zod'
import { ErrorResponses } from './error-responses.ts'
import { operationsOf, type Operation } from './operations.ts'
import type { ResponseDoc } from './route-docs.ts'
import { Schemas } from './schemas.ts'

/** What an OpenAPI document is made of. */
export interface DocumentParts {
  /** The longest prefix first. */
  readonly routes: readonly MountedRoute[]
  /** Errors that plugins define. */
  readonly errors: Iterable<ErrorKind>
  /** Events that plugins define. */
  readonly events: Iterable<EventKind>
  readonly version: string
}

/**
 * The OpenAPI 3.1 document of an agent: every route that its plugins mount, with the schemas that
 * validate requests, every error code, and every event as a schema.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 * @example
 * const document = openApiDocument({ routes: [], errors: [], events: [], version: '0.1.0' })
 */
export function openApiDocument({ routes, errors, events, version }: DocumentParts): JsonObject {
  const schemas = new Schemas()
  const responses = new ErrorResponses(errors, schemas)
  shareEvents(schemas, [...events])
  const paths: Record<string, JsonObject> = {}
  for (const operation of operationsOf(routes)) {
    const path = templateOf(operation.path)
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: described(operation, schemas, responses),
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Amodal',
      version,
      description:
        'The HTTP API of this agent, as its plugins serve it. Objects of responses can have more fields than described; ignore those that you do not know.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: CREDENTIALS.map((name) => ({ [name]: [] })),
    tags: [...new Set(routes.map(({ plugin }) => plugin))].toSorted().map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.shared(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  }
}

const CREDENTIALS = ['bearer', 'apiKey'] as const

/** The path with its parameters as OpenAPI spells them. A `*` at its end is `{rest}`. */
const templateOf = (path: string): string =>
  path
    .split('/')
    .map((segment) => {
      if (segment === '*') return '{rest}'
      return segment.startsWith(':') ? `{${segment.slice(1)}}` : segment
    })
    .join('/')

const parametersOf = (path: string): readonly string[] =>
  [...templateOf(path).matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? [])

/** Such as `getSessionsById`. */
function operationIdOf({ method, path }: Operation): string {
  const words = path.split(/[^\w*:]+/).filter((word) => word !== '')
  const parts = words.map((word) => {
    if (word === '*') return 'Rest'
    const name = word
      .replace(/^:/, '')
      .replaceAll(/[:_](\w?)/g, (_, next: string) => next.toUpperCase())
    return `${word.startsWith(':') ? 'By' : ''}${name.charAt(0).toUpperCase()}${name.slice(1)}`
  })
  return `${method.toLowerCase()}${parts.join('') || 'Root'}`
}

function described(operation: Operation, schemas: Schemas, errors: ErrorResponses): JsonObject {
  const { doc, route, method, path } = operation
  const { plugin, options } = route
  const body = bodyOf(operation, schemas)
  return {
    operationId: doc?.operationId ?? operationIdOf(operation),
    tags: [plugin],
    summary: doc?.summary ?? `${method} ${path}, of the plugin ${plugin}`,
    ...(doc?.description !== undefined && { description: doc.description }),
    security: [
      ...(options.open === true ? [{}] : []),
      ...CREDENTIALS.map((name) => ({
        [name]: options.open === true ? [] : [options.scope ?? plugin],
      })),
    ],
    parameters: [
      ...parametersOf(path).map((name) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...queryOf(doc?.query, schemas),
      ...Object.entries(doc?.headers ?? {}).map(([name, about]) => ({
        name,
        in: 'header',
        description: about,
        schema: { type: 'string' },
      })),
    ],
    ...(body && { requestBody: body }),
    responses: {
      ...Object.fromEntries(
        Object.entries(doc?.responses ?? { 200: { about: doc?.summary ?? 'OK' } }).map(
          ([status, response]) => [status, responseOf(response, schemas)],
        ),
      ),
      ...errors.of(operation),
    },
  }
}

function queryOf(query: z.ZodObject | undefined, schemas: Schemas): readonly JsonObject[] {
  if (!query) return []
  const { properties = {}, required = [] } = schemas.of(query)
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(Array.isArray(required) && required.includes(name) && { required: true }),
    schema,
  }))
}

function bodyOf({ doc }: Operation, schemas: Schemas): JsonObject | undefined {
  if (doc?.body === undefined && doc?.bodyTypes === undefined) return undefined
  const others = doc.bodyTypes ?? []
  return {
    required: doc.body?.safeParse({}).success !== true,
    content: {
      ...(doc.body && { 'application/json': { schema: schemas.of(doc.body) } }),
      ...Object.fromEntries(others.map((type) => [type, {}])),
    },
  }
}

const STREAMS = { conversation: 'AgentEvent', server: 'RuntimeEvent' } as const

function responseOf(
  { about, body, events, types = [] }: ResponseDoc,
  schemas: Schemas,
): JsonObject {
  const content = {
    ...(body && { 'application/json': { schema: schemas.of(body) } }),
    ...(events && {
      'text/event-stream': { schema: { $ref: `#/components/schemas/${STREAMS[events]}` } },
    }),
    ...Object.fromEntries(types.map((type) => [type, {}])),
  }
  return { description: about, ...(Object.keys(content).length > 0 && { content }) }
}

/** Each event, and a choice of all of them per stream. */
function shareEvents(schemas: Schemas, kinds: readonly EventKind[]): void {
  const own = (where: EventKind['in']): readonly JsonObject[] =>
    kinds.filter((kind) => kind.in === where).map((kind) => shareOwn(schemas, kind))
  const shared = (all: ReadonlyMap<string, z.ZodType>): readonly JsonObject[] =>
    [...all].map(([type, schema]) => schemas.share(eventName(type), schemas.of(schema)))
  schemas.share('AgentEvent', {
    description: 'The JSON of one frame of the stream of a conversation.',
    anyOf: [...shared(agentEventSchemas()), ...own('session')],
  })
  schemas.share('RuntimeEvent', {
    description: 'The JSON of one frame of `GET /api/events`.',
    anyOf: [...shared(runtimeEventSchemas()), ...own('server')],
  })
}

/** `TextDeltaEvent` for `text_delta`; an event of a plugin has a dot, which stays. */
const eventName = (type: string): string =>
  `${type.replaceAll(/(?:^|_|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`

function shareOwn(schemas: Schemas, kind: EventKind): JsonObject {
  const { type, in: where, about } = kind
  const schema = kind.jsonSchema()
  const { $schema: _dialect, ...data } = isObject(schema) ? schema : {}
  const fields = isObject(data['properties']) ? data['properties'] : {}
  const timestamp = { type: 'string', format: 'date-time' }
  return schemas.share(eventName(type), {
    type: 'object',
    description: about,
    properties: {
      type: { const: type },
      timestamp,
      ...(where === 'session' ? { data } : { seq: { type: 'integer' }, ...fields }),
    },
    required: where === 'session' ? ['type', 'timestamp', 'data'] : ['type', 'timestamp', 'seq'],
  })
}
