import { Validator } from '@seriousme/openapi-schema-validator'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { CODES, definePlugin, defineError, defineEvent, use, type RouteContext } from '@amodal/sdk'
import { z } from 'zod'
import { describeRoutes, endpoint } from '../src/tokens.ts'
import { mounting, serving } from './server.ts'

const Note = z.object({ title: z.string() }).meta({ id: 'Note' })
const OfficeClosed = defineError({ code: 'OFFICE_CLOSED', fix: 'call again', status: 409 })
const Closed = defineEvent({
  type: 'notes.closed',
  about: 'It has closed.',
  data: z.object({ opens: z.number() }),
})

const notes = definePlugin({
  name: 'notes',
  version: '1.0.0',
  errors: [OfficeClosed],
  events: [Closed],
  setup({ hooks }) {
    const app = new Hono<{ Bindings: RouteContext }>()
    describeRoutes(app, {
      'POST /notes/:id': {
        summary: 'changes a note',
        body: Note,
        query: z.object({ limit: z.coerce.number().int().default(5) }),
        responses: { 200: { about: 'The note.', body: Note } },
        errors: ['OFFICE_CLOSED'],
      },
    })
    endpoint(app, '/notes/:id', { POST: (c) => c.json({}), DELETE: (c) => c.json({}) })
    hooks.http.routes.tap((table) => table.mount('/notes', app, { scope: 'write' }))
  },
})

const documentOf = async (get: (path: string) => Promise<Response>) =>
  (await get('/openapi.json')).json()

test('the document has the routes of plugins with their schemas, errors and events', async () => {
  await using server = await serving([use(notes)])
  const document = await documentOf(server.get)
  expect(await new Validator().validate(document)).toEqual({ valid: true })
  expect(document.openapi).toBe('3.1.1')
  expect(Object.keys(document.paths)).toEqual(['/notes/{id}', '/openapi.json'])
  const { post, delete: remove } = document.paths['/notes/{id}']
  expect(post).toMatchObject({
    operationId: 'postNotesById',
    summary: 'changes a note',
    tags: ['notes'],
    security: [{ bearer: ['write'] }, { apiKey: ['write'] }],
    parameters: [
      { name: 'id', in: 'path', required: true },
      { name: 'limit', in: 'query', schema: { type: 'integer', default: 5 } },
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } },
    },
  })
  expect(post.responses['409'].description).toContain('`OFFICE_CLOSED`: call again')
  expect(Object.keys(remove.responses)).toEqual([
    '200',
    '400',
    '401',
    '403',
    '404',
    '429',
    '500',
    '504',
  ])
  const { Note: note, ErrorCode, ...events } = document.components.schemas
  expect(note).toEqual({
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
  })
  expect(ErrorCode.enum).toEqual(
    expect.arrayContaining([...Object.keys(CODES), 'OFFICE_CLOSED', 'scope_required']),
  )
  expect(events['Notes.closedEvent']).toMatchObject({
    properties: { type: { const: 'notes.closed' }, data: { properties: { opens: {} } } },
  })
})

test('a route that its plugin does not describe is in it, by its prefix or its paths', async () => {
  const plain = mounting('plain', (table) =>
    table.mount('/plain', { fetch: () => new Response('in') }),
  )
  await using server = await serving([use(plain)])
  const { paths } = await documentOf(server.get)
  expect(paths['/plain'].get).toMatchObject({ summary: 'GET /plain, of the plugin plain' })
})

test('it is sent once: an ETag answers for what a client has', async () => {
  await using server = await serving([use(notes)])
  const first = await server.get('/openapi.json')
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[\w-]{43}"$/)
  const second = await server.get('/openapi.json', { headers: { 'if-none-match': etag } })
  expect(second.status).toBe(304)
  expect(await second.text()).toBe('')
  const other = await server.get('/openapi.json', { headers: { 'if-none-match': '"x"' } })
  expect(other.status).toBe(200)
  const posted = await server.get('/openapi.json', { method: 'POST' })
  expect(posted.status).toBe(405)
  expect(posted.headers.get('allow')).toBe('GET')
})
