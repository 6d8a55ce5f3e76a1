import {
  type ContextInjection,
  isObject,
  type Json,
  type JsonObject,
  PERSISTENCES,
  type RestAuth,
  type RestSpec,
} from '@amodal/sdk'
import {
  type Issues,
  type JsonFile,
  type Path,
  pathText,
  placeOf,
  refuseUnknown,
  shaped,
  valueAt,
  warnUnknown,
} from '@amodal/sdk/files'
import { z } from 'zod'
import { warnTrusted } from './warn-trusted.ts'

export const REST_FIELDS = [
  '$schema',
  'protocol',
  'name',
  'description',
  'baseUrl',
  'specUrl',
  'testPath',
  'test',
  'format',
  'auth',
  'sync',
  'filter',
  'headers',
  'contextInjection',
  'rateLimit',
  'proxy',
  'limits',
  'idempotent',
  'trusted',
  'resultPersistence',
  'result_persistence',
]
export const AUTH_FIELDS: Readonly<Record<string, readonly string[]>> = {
  bearer: ['type', 'token', 'api_key', 'header', 'prefix'],
  header: ['type', 'token', 'api_key', 'value', 'header', 'name', 'prefix'],
  api_key: ['type', 'token', 'key', 'api_key', 'value', 'header', 'query', 'in', 'name', 'prefix'],
  basic: ['type', 'username', 'password'],
  oauth2: [
    'type',
    'token',
    'grant',
    'grantType',
    'tokenUrl',
    'clientId',
    'clientSecret',
    'refreshToken',
    'scope',
    'scopes',
    'audience',
    'clientAuth',
    'header',
    'prefix',
  ],
}
const UNSUPPORTED = ['grpc', 'aws-api']

const text = z.string().min(1)
const texts = z.array(text)
const wrong = (message: string, fix: string) => ({ error: message, params: { fix } })
const reference = (value: string): boolean => /^(env|scope):/.test(value)
const address = text.refine(
  (value) => reference(value) || isAddress(value),
  wrong(
    'is no http or https address',
    'write it as in https://api.example.com/v1, without login, query or #',
  ),
)
const token = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { error: 'is no name of a header' })

/** The fields of an HTTP connection, without its credential. */
export const restSpecShape = z.looseObject({
  baseUrl: address,
  specUrl: address.exactOptional(),
  testPath: text.exactOptional(),
  test: z
    .looseObject({
      method: z
        .string()
        .transform((method) => method.toUpperCase())
        .pipe(z.enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']))
        .default('GET'),
      path: text,
      // Any value: the schema of an editor cannot name the recursive type here.
      body: z.unknown().exactOptional(),
    })
    .exactOptional(),
  format: z.enum(['rest', 'openapi', 'graphql']).default('rest'),
  headers: z.record(token, z.string()).default({}),
  filter: z
    .object({
      tags: texts.default([]),
      include_paths: texts.default([]),
      exclude_paths: texts.default([]),
    })
    .prefault({}),
  sync: z
    .object({
      auto: z.boolean(),
      frequency: z.enum(['on_push', 'manual', 'hourly', 'daily', 'weekly']),
      notify_drift: z.boolean(),
    })
    .partial()
    .exactOptional(),
  contextInjection: z
    .record(
      text,
      z.object({
        in: z.enum(['header', 'query', 'path', 'body']),
        field: text,
        required: z.boolean().default(true),
      }),
    )
    .default({}),
  rateLimit: z
    .object({ perSecond: z.number().positive(), burst: z.int().positive().default(1) })
    .exactOptional(),
  proxy: z.union([z.literal(false), text]).exactOptional(),
  limits: z
    .object({
      timeoutMs: z.int().min(1).max(300_000).default(30_000),
      maxBytes: z.int().positive().default(5_000_000),
      tries: z.int().min(1).max(10).default(3),
    })
    .prefault({}),
  idempotent: z.boolean().default(false),
  trusted: z.boolean().exactOptional(),
  resultPersistence: z.enum(PERSISTENCES).exactOptional(),
  result_persistence: z.enum(PERSISTENCES).exactOptional(),
})

const auth = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('bearer'),
    token: text,
    header: token.default('Authorization'),
    prefix: z.string().default('Bearer '),
  }),
  z.object({
    type: z.literal('header'),
    header: token,
    value: text,
    prefix: z.string().default(''),
  }),
  z.object({
    type: z.literal('api_key'),
    in: z.enum(['header', 'query']),
    name: text,
    value: text,
    prefix: z.string().default(''),
  }),
  z.object({ type: z.literal('basic'), username: text, password: z.string() }),
  z.object({
    type: z.literal('oauth2'),
    grant: z.enum(['client_credentials', 'refresh_token']),
    tokenUrl: address,
    clientId: text,
    clientSecret: text.exactOptional(),
    refreshToken: text.exactOptional(),
    scopes: texts,
    audience: text.exactOptional(),
    clientAuth: z.enum(['basic', 'body']).default('basic'),
    header: token.default('Authorization'),
    prefix: z.string().default('Bearer '),
  }),
])

/** Reads `spec.json` of an HTTP connection. */
export function readRestSpec(json: JsonFile<JsonObject>, issues: Issues): RestSpec | undefined {
  const { format } = json.value
  if (typeof format === 'string' && UNSUPPORTED.includes(format)) {
    issues.error('BAD_REPO', `\`format\` "${format}" is not supported yet`, {
      ...placeOf(json, ['format']),
      fix: 'reach it through a REST or GraphQL gateway, or through an MCP server',
    })
    return undefined
  }
  warnUnknown(json, [], REST_FIELDS, issues)
  warnUnknown(json, ['filter'], ['tags', 'include_paths', 'exclude_paths'], issues)
  warnUnknown(json, ['sync'], ['auto', 'frequency', 'notify_drift'], issues)
  if (json.value['sync'] !== undefined && json.value['specUrl'] === undefined) {
    issues.warn('BAD_REPO', '`sync` has nothing to fetch: there is no `specUrl`', {
      ...placeOf(json, ['sync']),
      fix: 'add `specUrl`, or remove it',
    })
  }
  warnUnknown(json, ['limits'], ['timeoutMs', 'maxBytes', 'tries'], issues)
  warnTrusted(json, [], issues)
  const before = issues.errors
  const read = shaped(restSpecShape, json, [], issues)
  refuseUnknown(json, ['test'], ['method', 'path', 'body'], issues)
  if (read?.test && read.testPath !== undefined)
    issues.error('BAD_REPO', '`test` stands beside `testPath`', {
      ...placeOf(json, ['test']),
      fix: 'write one of them',
    })
  if (read?.format === 'graphql' && read.filter.tags.length > 0) {
    issues.error('BAD_REPO', '`filter.tags` lets nothing through: fields of GraphQL have no tags', {
      ...placeOf(json, ['filter', 'tags']),
      fix: 'name fields in include_paths and exclude_paths',
    })
  }
  const signedIn = json.value['auth'] === undefined ? undefined : readAuth(json, issues)
  if (!read || issues.errors > before) return undefined
  const {
    baseUrl,
    testPath,
    test,
    specUrl,
    headers,
    filter,
    contextInjection,
    rateLimit,
    proxy,
    limits,
    idempotent,
  } = read
  const resultPersistence = read.resultPersistence ?? read.result_persistence
  return {
    ...(resultPersistence && { resultPersistence }),
    baseUrl,
    format: read.format,
    headers,
    limits,
    idempotent,
    ...(specUrl !== undefined && { specUrl, ...(read.sync && { sync: syncOf(read.sync) }) }),
    ...(testPath !== undefined && { testPath }),
    ...(test && { test: testOf(test) }),
    ...(signedIn && { auth: signedIn }),
    ...(rateLimit && { rateLimit }),
    ...(proxy !== undefined && { proxy }),
    filter: {
      tags: filter.tags,
      includePaths: filter.include_paths,
      excludePaths: filter.exclude_paths,
    },
    contextInjection: Object.entries(contextInjection).map(([value, where]): ContextInjection => ({
      value,
      ...where,
    })),
  }
}

const FREQUENCIES = {
  on_push: 'load',
  manual: 'never',
  hourly: 'hourly',
  daily: 'daily',
  weekly: 'weekly',
} as const

/** Pushed files are files that are loaded anew. */
function syncOf({
  auto = true,
  frequency = 'daily',
  notify_drift: notifyDrift = false,
}: NonNullable<z.output<typeof restSpecShape>['sync']>): NonNullable<RestSpec['sync']> {
  return { when: auto ? FREQUENCIES[frequency] : 'never', notifyDrift }
}

function readAuth(json: JsonFile<JsonObject>, issues: Issues): RestAuth | undefined {
  const given = valueAt(json.value, ['auth'])
  const type = valueAt(given, ['type'])
  if (isObject(given))
    warnUnknown(
      json,
      ['auth'],
      AUTH_FIELDS[typeof type === 'string' ? type : ''] ?? [
        ...new Set(Object.values(AUTH_FIELDS).flat()),
      ],
      issues,
    )
  for (const name of [
    'token',
    'key',
    'api_key',
    'value',
    'password',
    'clientSecret',
    'refreshToken',
  ])
    warnOfSecret(json, ['auth', name], issues)
  const plain: JsonFile<JsonObject> = {
    ...json,
    value: isObject(given) ? { auth: oneSpelling(given) } : { auth: given ?? null },
  }
  const read = shaped(auth, plain, ['auth'], issues)
  if (!read) return undefined
  switch (read.type) {
    case 'bearer':
      return { kind: 'header', header: read.header, prefix: spaced(read.prefix), value: read.token }
    case 'header':
      return { kind: 'header', header: read.header, prefix: spaced(read.prefix), value: read.value }
    case 'api_key':
      return read.in === 'query'
        ? { kind: 'query', param: read.name, value: read.value }
        : { kind: 'header', header: read.name, prefix: spaced(read.prefix), value: read.value }
    case 'basic':
      return { kind: 'basic', username: read.username, password: read.password }
    case 'oauth2': {
      const { type: _, prefix, ...rest } = read
      const missing =
        rest.grant === 'refresh_token'
          ? rest.refreshToken === undefined && 'refreshToken'
          : rest.clientSecret === undefined && 'clientSecret'
      if (missing !== false)
        issues.error('BAD_REPO', `\`auth.${missing}\` is missing`, {
          ...placeOf(json, ['auth']),
          fix: `add it: "env:NAME"`,
        })
      return { kind: 'oauth2', ...rest, prefix: spaced(prefix) }
    }
  }
}

/** Second names of fields, and what follows from others. */
function oneSpelling(written: JsonObject): JsonObject {
  const { api_key: key, token: _token, key: _key, value: _value, ...rest } = written
  // A key alone is what most APIs take as a bearer token; one that the manifest adds takes the
  // place of any other.
  const given = key === undefined ? written : { type: 'bearer', ...rest, token: key }
  const { type } = given
  if (type === 'oauth2' && given['tokenUrl'] === undefined && given['token'] !== undefined)
    return { ...given, type: 'bearer' } // one that somebody fetched before
  if (type === 'header')
    return defined({
      ...given,
      header: given['header'] ?? given['name'],
      value: given['value'] ?? given['token'],
    })
  if (type === 'api_key') {
    const inQuery =
      given['in'] === 'query' || (given['query'] !== undefined && given['header'] === undefined)
    const name = inQuery
      ? (given['query'] ?? given['name'] ?? 'api_key')
      : (given['header'] ?? given['name'] ?? 'X-API-Key')
    return defined({
      ...given,
      in: inQuery ? 'query' : 'header',
      name,
      value: given['value'] ?? given['key'] ?? given['token'],
    })
  }
  if (type !== 'oauth2') return given
  const { scope, scopes } = given
  return defined({
    ...given,
    grant:
      given['grant'] ??
      given['grantType'] ??
      (given['refreshToken'] === undefined ? 'client_credentials' : 'refresh_token'),
    scopes:
      scopes ??
      (typeof scope === 'string' ? scope.split(/\s+/).filter((one) => one !== '') : (scope ?? [])),
  })
}

const defined = (value: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (one === undefined ? [] : [[name, one]])),
  )

/** `Bearer` is a word of its own; `key=` is not. */
const spaced = (prefix: string): string => (/[A-Za-z0-9]$/.test(prefix) ? `${prefix} ` : prefix)

function isAddress(value: string): boolean {
  const url = URL.parse(value)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    !/[?#]/.test(value)
  )
}

/** A secret in a file that is checked in is a secret that is given away. */
function warnOfSecret(json: JsonFile, at: Path, issues: Issues): void {
  const value = valueAt(json.value, at)
  if (typeof value !== 'string' || value === '' || reference(value)) return
  issues.warn('BAD_REPO', `\`${pathText(at)}\` holds the secret itself`, {
    ...placeOf(json, at),
    fix: 'put it into .env and write "env:NAME" here',
  })
}

/** The file is JSON, so that the body is. */
function testOf({
  method,
  path,
  body,
}: NonNullable<z.output<typeof restSpecShape>['test']>): NonNullable<RestSpec['test']> {
  return { method, path, ...(body !== undefined && { body: body as Json }) } // parsed from JSON
}
