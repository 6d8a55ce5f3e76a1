import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { CODES, isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { ErrorKinds, EventKinds } from '@amodal/sdk/inspection'
import { reply } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import { as, keysOf } from '../security/support/people.ts'
import { startPostgres } from '../support/postgres.ts'
import { EVENT_NOTES, RUNTIME_EVENT_NOTES } from '../docs/reference/event-notes.ts'

const STORE = {
  name: 'notes',
  entity: {
    name: 'Note',
    key: '{id}',
    schema: { id: { type: 'string' }, text: { type: 'string' } },
  },
}
const FILES = {
  'stores/notes.json': STORE,
  'automations/report.json': { title: 'Report', prompt: 'Report.', schedule: '0 6 * * *' },
}
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

interface Described {
  readonly path: string
  readonly methods: ReadonlyMap<string, JsonObject>
}

const at = (value: Json | undefined, ...keys: readonly string[]): Json | undefined =>
  keys.reduce<Json | undefined>((inner, key) => (isObject(inner) ? inner[key] : undefined), value)

const pathsOf = (document: JsonObject): readonly Described[] =>
  Object.entries(isObject(document['paths']) ? document['paths'] : {}).map(([path, item]) => ({
    path,
    methods: new Map(
      METHODS.flatMap((method) => {
        const operation = at(item, method)
        return isObject(operation) ? [[method, operation] as const] : []
      }),
    ),
  }))

/** A schema in which objects have no other fields than those that it describes. */
function strict(schema: Json): Json {
  if (isList(schema)) return schema.map(strict)
  if (!isObject(schema)) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, strict(value)]),
  )
  return isObject(schema['properties']) && !('additionalProperties' in schema)
    ? { ...inner, additionalProperties: false }
    : inner
}

const isJson = ({ headers }: Response): boolean =>
  headers.get('content-type')?.includes('json') === true

/** Validates responses against the document, and refuses fields that it does not describe. */
class Contract {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true })
  readonly #document: JsonObject

  constructor(document: JsonObject) {
    this.#document = document
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ $id: 'api', components: strict(document['components'] ?? {}) })
  }

  problems(method: string, path: string, status: number, body: Json): readonly string[] {
    const response = at(this.#document, 'paths', path, method, 'responses', String(status))
    if (!response) return [`${method} ${path}: ${status} is not described`]
    const schema = at(response, 'content', 'application/json', 'schema')
    if (!isObject(schema)) return [`${method} ${path}: ${status} has no schema`]
    return this.#check(strict(schema), body)
  }

  /** Whether an error is described: its status, and its code among those of the status. */
  async refusal(method: string, path: string, response: Response): Promise<readonly string[]> {
    if (response.ok) return []
    const { status } = response
    const text = await response.text()
    const responses = at(this.#document, 'paths', path, method, 'responses')
    const described = at(responses, String(status)) ?? at(responses, 'default')
    if (!isObject(described)) return [`${method} ${path}: ${status} is not described: ${text}`]
    if (!isJson(response))
      return at(described, 'content', 'text/*') ? [] : [`${method} ${path}: ${status} is no JSON`]
    const answered = JSON.parse(text) as JsonObject
    if (at(responses, String(status)) === undefined) {
      const schema = at(described, 'content', 'application/json', 'schema') ?? false
      return this.#check(schema, answered).map((problem) => `${method} ${path}: ${problem}`)
    }
    const error = at(answered, 'error')
    const code = isObject(error) ? textIn(error, 'code') : text
    return textIn(described, 'description').includes(`\`${code}\``)
      ? []
      : [`${method} ${path}: ${status} ${code} is not described`]
  }

  event(name: 'AgentEvent' | 'RuntimeEvent', event: Json): readonly string[] {
    return this.#check({ $ref: `#/components/schemas/${name}` }, event)
  }

  #check(schema: Json, value: Json): readonly string[] {
    const placed = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as JsonObject
    const validate: ValidateFunction = this.#ajv.compile(placed)
    return validate(value)
      ? []
      : (validate.errors ?? []).map(
          (one) => `${one.instancePath} ${one.message} ${JSON.stringify(one.params)}`,
        )
  }
}

const PEOPLE = { boss: { scopes: ['*'], roles: ['*'] } }

describe.each(['dev', 'production'] as const)('the document of the preset %s', (preset) => {
  let door: Door
  let document: JsonObject
  const me = as('boss')
  let postgres: Awaited<ReturnType<typeof startPostgres>> | undefined
  beforeAll(async () => {
    if (preset === 'production') postgres = await startPostgres()
    const database = await postgres?.createDatabase()
    door = await openDoor({
      preset,
      files: FILES,
      env: { ...keysOf(PEOPLE), ...(database !== undefined && { DATABASE_URL: database }) },
      script: () => reply.text('done'),
    })
    document = (await door.get('/openapi.json', me)).body
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
    await postgres?.stop()
  })

  test('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
    expect(document['openapi']).toBe('3.1.1')
    const ids = pathsOf(document).flatMap(({ methods }) =>
      [...methods.values()].map((operation) => textIn(operation, 'operationId')),
    )
    expect(ids.length).toBeGreaterThan(150)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  test('needs a credential where requests are authenticated', async () => {
    expect((await door.get('/openapi.json')).status).toBe(401)
  })

  test('has every prefix that is mounted', () => {
    const paths = pathsOf(document).map(({ path }) => path.replaceAll(/\{\w+\}/g, ':'))
    const missing = door.running.kernel.scope
      .get(HttpApp)
      .routes()
      .map((prefix) => prefix.replaceAll(/:\w+/g, ':'))
      .filter((prefix) => !paths.some((path) => path === prefix || path.startsWith(`${prefix}/`)))
    expect(missing).toEqual([])
  })

  test('every path is answered, with the methods that it lists and no others', async () => {
    const wrong: string[] = []
    let compared = 0
    for (const { path, methods } of pathsOf(document)) {
      const url = door.url + path.replaceAll(/\{\w+\}/g, 'x')
      const refused = await fetch(url, { method: 'PROPFIND', headers: me })
      await refused.body?.cancel()
      const allow = refused.headers.get('allow')
      if (refused.status !== 405 || allow === null) continue
      compared++
      const offered = allow
        .split(', ')
        .filter((method) => method !== 'HEAD')
        .toSorted()
      const listed = [...methods.keys()].map((method) => method.toUpperCase()).toSorted()
      if (offered.join() !== listed.join())
        wrong.push(`${path}: ${listed.join()} listed, ${offered.join()} offered`)
    }
    expect(wrong).toEqual([])
    expect(compared).toBeGreaterThan(100)
  })

  test('describes every operation, and each has a summary of its own plugin', () => {
    const bare = pathsOf(document).flatMap(({ path, methods }) =>
      [...methods].flatMap(([method, operation]) =>
        textIn(operation, 'summary').includes(', of the plugin ') ? [`${method} ${path}`] : [],
      ),
    )
    expect(bare).toEqual([])
  })

  test('has every error code and every event', () => {
    const codes = at(document, 'components', 'schemas', 'ErrorCode', 'enum')
    const { kernel } = door.running
    const known = [...Object.keys(CODES), ...kernel.current().registry(ErrorKinds).keys()]
    expect(known.filter((code) => !isList(codes) || !codes.includes(code))).toEqual([])
    const schemas = at(document, 'components', 'schemas')
    const types = Object.values(isObject(schemas) ? schemas : {}).map((schema) =>
      at(schema, 'properties', 'type', 'const'),
    )
    const events = [
      ...Object.keys(EVENT_NOTES),
      ...Object.keys(RUNTIME_EVENT_NOTES),
      ...kernel.current().registry(EventKinds).keys(),
    ]
    expect(events.filter((type) => !types.includes(type))).toEqual([])
  })

  test('requests for what is not there, and wrong bodies, end as it describes', async () => {
    const contract = new Contract(document)
    const problems: string[] = []
    for (const { path, methods } of pathsOf(document))
      for (const [method, operation] of methods) {
        const content = at(operation, 'requestBody', 'content')
        // an upload takes any file, and this number is one
        const takesJson =
          at(content, 'application/json') !== undefined && at(content, '*/*') === undefined
        const response = await fetch(door.url + path.replaceAll(/\{\w+\}/g, 'x'), {
          method: method.toUpperCase(),
          headers: { ...me, ...(takesJson && { 'content-type': 'application/json' }) },
          ...(takesJson && { body: '17' }),
          signal: AbortSignal.timeout(10_000),
        })
        if (response.ok) await response.body?.cancel()
        const found =
          response.ok && takesJson
            ? [`${method} ${path}: takes 17 (${response.status})`]
            : contract.refusal(method, path, response)
        problems.push(...(await found))
      }
    expect(problems).toEqual([])
  })

  test('responses are as it describes them', async () => {
    const contract = new Contract(document)
    const problems: Record<string, readonly string[]> = {}
    const check = async (
      method: string,
      path: string,
      actual: string,
      body?: Json,
    ): Promise<JsonObject> => {
      const response = await fetch(door.url + actual, {
        method: method.toUpperCase(),
        headers: { ...me, 'content-type': 'application/json', accept: 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const answered = (await response.json()) as JsonObject
      const found = contract.problems(method, path, response.status, answered)
      if (found.length > 0) problems[`${method} ${actual} ${response.status}`] = found
      return answered
    }
    const turn = await check('post', '/chat/sync', '/chat/sync', { message: 'hello' })
    const id = textIn(turn, 'session_id')
    await check('post', '/chat', '/chat', { message: 'again', session_id: id })
    await check('post', '/chat/sync', '/chat/sync', { message: 7 })
    await check('get', '/sessions', '/sessions')
    await check('get', '/sessions', '/sessions?limit=0')
    await check('get', '/sessions/history', '/sessions/history')
    await check('get', '/sessions/{id}', `/sessions/${id}`)
    await check('get', '/sessions/{id}', '/sessions/nothing')
    await check('patch', '/sessions/{id}', `/sessions/${id}`, { title: 'A title' })
    await check('post', '/sessions/{id}/fork', `/sessions/${id}/fork`, {})
    await check('post', '/sessions/{id}/cancel', `/sessions/${id}/cancel`)
    const created = await check('post', '/sessions', '/sessions', { title: 'empty' })
    await check('delete', '/sessions/{id}', `/sessions/${textIn(created, 'id')}`)
    await check('get', '/api/stats', '/api/stats')
    const task = await check('post', '/task', '/task', { prompt: 'work' })
    await check('get', '/task/{id}', `/task/${textIn(task, 'task_id')}`)
    await check('get', '/api/stores', '/api/stores')
    await check('post', '/api/stores/{name}', '/api/stores/notes', { id: 'a', text: 'b' })
    await check('get', '/api/stores/{name}', '/api/stores/notes')
    await check('get', '/api/stores/{name}/{key}', '/api/stores/notes/a')
    await check('delete', '/api/stores/{name}/{key}', '/api/stores/notes/a')
    await check('get', '/automations', '/automations')
    await check('get', '/automations/{name}/preview', '/automations/report/preview')
    await check('post', '/automations/{name}/stop', '/automations/report/stop')
    await check('post', '/automations/{name}/start', '/automations/report/start')
    await check('post', '/automations/{name}/run', '/automations/report/run')
    await check('get', '/automations/{name}/runs', '/automations/report/runs')
    await check('get', '/automations/{name}/deliveries', '/automations/report/deliveries')
    await check('post', '/api/feedback', '/api/feedback', { session_id: id, rating: 'up' })
    await check('get', '/api/feedback', '/api/feedback')
    await check('get', '/api/feedback/stats', '/api/feedback/stats')
    await check('get', '/api/feedback/categories', '/api/feedback/categories')
    await check('get', '/api/memory', '/api/memory')
    await check('get', '/api/me', '/api/me')
    await check('get', '/health', '/health')
    await check('get', '/inspect/health', '/inspect/health')
    if (preset === 'dev') await check('get', '/api/studio/views', '/api/studio/views')
    await check('get', '/openapi.json', '/openapi.json')
    expect(problems).toEqual({})
  })

  test('events of a stream are as it describes them', async () => {
    const contract = new Contract(document)
    const events = await door.stream('hello', {}, me)
    expect(events.map(({ type }) => type)).toContain('done')
    expect(events.flatMap((event) => contract.event('AgentEvent', event))).toEqual([])
  })
})
