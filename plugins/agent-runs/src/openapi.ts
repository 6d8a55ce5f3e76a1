import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { z } from 'zod'
import {
  ArtifactQuery,
  CancelRequest,
  EventsQuery,
  LinkRequest,
  ListQuery,
  ResumeRequest,
  startRequest,
  StatusQuery,
} from './run-request.ts'
import {
  Artifact,
  Artifacts,
  Changed,
  Events,
  Failed,
  Link,
  Listed,
  Profile,
  Session,
  Started,
} from './run-answers.ts'

function schemaOf(schema: z.ZodType): JsonObject {
  const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const inPlace = withoutReferences(JSON.parse(JSON.stringify(made)) as Json) // it is JSON
  if (!isObject(inPlace)) return {}
  const { $schema: _schema, $defs: _definitions, ...shape } = inPlace
  return shape
}

/**
 * Any JSON is a schema that names itself, in definitions of its own; in a document it is the empty
 * schema.
 */
function withoutReferences(schema: Json): Json {
  if (isList(schema)) return schema.map(withoutReferences)
  if (!isObject(schema)) return schema
  if ('$ref' in schema) return {}
  const fields = Object.entries(schema)
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutReferences(value)]))
}

const json = (schema: z.ZodType): JsonObject => ({
  'application/json': { schema: schemaOf(schema) },
})
const answer = (description: string, schema: z.ZodType): JsonObject => ({
  description,
  content: json(schema),
})
const body = (schema: z.ZodType): JsonObject => ({ required: true, content: json(schema) })

const inPath = (name: string): JsonObject => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
})
const header = (name: string): JsonObject => ({ name, in: 'header', schema: { type: 'string' } })
/** Parameters of a query, each with its schema. */
function inQuery(schema: z.ZodObject): readonly JsonObject[] {
  const fields: Readonly<Record<string, z.ZodType>> = schema.shape
  return Object.entries(fields).map(([name, field]) => ({
    name,
    in: 'query',
    schema: schemaOf(field),
  }))
}

const NOT_FOUND = answer('There is no such session, or it is not yours', Failed)
const INVALID = answer('The request is not valid', Failed)
const CONFLICT = answer('It cannot be done in the state that the session is in', Failed)

/**
 * The REST side of runs as an OpenAPI 3.1 document.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export const openApi = (maxTaskChars: number): JsonObject => ({
  openapi: '3.1.1',
  info: {
    title: 'Agent runs',
    version: '1',
    description: 'Sessions that are started with a task, followed, resumed and cancelled.',
  },
  security: [{ bearer: [] }],
  components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/api/platform/v1/agents/run': {
      post: {
        operationId: 'startAgent',
        parameters: [header('Idempotency-Key')],
        requestBody: body(startRequest(maxTaskChars)),
        responses: {
          200: answer('With `async: false`: the session has ended', Session),
          202: answer('The session is kept, and will be worked on', Started),
          400: INVALID,
          404: answer('There is no such profile', Failed),
          409: answer('The key belongs to another request', Failed),
          429: answer('Too many; `Retry-After` says when', Failed),
        },
      },
    },
    '/api/platform/v1/agents': {
      get: {
        operationId: 'listAgents',
        parameters: inQuery(ListQuery),
        responses: {
          200: answer(
            'The newest first',
            z.looseObject({ sessions: z.array(Listed), next_before: z.string().nullable() }),
          ),
        },
      },
    },
    '/api/platform/v1/agents/profiles': {
      get: {
        operationId: 'listProfiles',
        responses: { 200: answer('All of them', z.looseObject({ profiles: z.array(Profile) })) },
      },
    },
    ...sessionPaths(),
    '/api/platform/v1/artifacts/{id}': {
      get: {
        operationId: 'getArtifact',
        parameters: [inPath('id'), ...inQuery(ArtifactQuery)],
        responses: { 200: answer('The artifact', Artifact), 404: NOT_FOUND },
      },
    },
    '/api/platform/v1/artifacts/{id}/link': {
      post: {
        operationId: 'linkArtifact',
        parameters: [inPath('id')],
        requestBody: body(LinkRequest),
        responses: {
          200: answer('Whoever has `url` can download that version until it expires', Link),
          400: INVALID,
          404: NOT_FOUND,
        },
      },
    },
  },
})

const sessionPaths = (): JsonObject => ({
  '/api/platform/v1/agents/{id}/status': {
    get: {
      operationId: 'getAgentStatus',
      parameters: [inPath('id'), ...inQuery(StatusQuery)],
      responses: { 200: answer('Where it stands', Session), 404: NOT_FOUND },
    },
  },
  '/api/platform/v1/agents/{id}/events': {
    get: {
      operationId: 'listAgentEvents',
      parameters: [inPath('id'), ...inQuery(EventsQuery)],
      responses: { 200: answer('From the first one on', Events), 404: NOT_FOUND },
    },
  },
  '/api/platform/v1/agents/{id}/artifacts': {
    get: {
      operationId: 'listAgentArtifacts',
      parameters: [inPath('id')],
      responses: { 200: answer('The newest first', Artifacts), 404: NOT_FOUND },
    },
  },
  '/api/platform/v1/agents/{id}/stream': {
    get: {
      operationId: 'streamAgent',
      parameters: [inPath('id'), header('Last-Event-ID')],
      responses: {
        200: {
          description: 'Events `state`, `progress` and `timeout`, as they come',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
        404: NOT_FOUND,
      },
    },
  },
  '/api/platform/v1/agents/{id}/resume': {
    post: {
      operationId: 'resumeAgent',
      parameters: [inPath('id')],
      requestBody: body(ResumeRequest),
      responses: {
        200: answer('The answer is kept, and the session goes on', Changed),
        400: answer('The answer does not fit `pending_input_schema`', Failed),
        404: NOT_FOUND,
        409: CONFLICT,
      },
    },
  },
  '/api/platform/v1/agents/{id}/cancel': {
    post: {
      operationId: 'cancelAgent',
      parameters: [inPath('id')],
      requestBody: body(CancelRequest),
      responses: { 200: answer('It is canceled', Changed), 404: NOT_FOUND, 409: CONFLICT },
    },
  },
})
