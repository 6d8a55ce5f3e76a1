import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import type { JsonObject } from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openDoor, textIn, type Door, type DoorOptions } from '../security/support/door.ts'

/** Proposes the files that the message lists, one JSON object a line. */
const writing: Script = ({ messages }) => {
  const begun = messages.findLastIndex(({ role }) => role === 'user')
  const text = messages[begun]?.content
  const files = (typeof text === 'string' ? text : '')
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject)
  const next = files[messages.slice(begun + 1).filter(({ role }) => role === 'tool').length]
  return next
    ? reply.toolCalls([
        {
          name: next['content'] === undefined ? 'read_repo_file' : 'write_repo_file',
          arguments: next,
        },
      ])
    : reply.text('proposed')
}

const SPEC = { baseUrl: 'https://books.example/v1', auth: { type: 'bearer', token: 'env:BOOKS' } }
const role = (tools: readonly string[], connections: readonly string[]): JsonObject => ({
  tools: [...tools],
  skills: [],
  connections: [...connections],
})
const FILES = {
  '.env': 'BOOKS=a-key-of-books\nOTHER=b\n',
  'connections/books/spec.json': SPEC,
  'connections/books/access.json': {
    endpoints: {
      'GET /invoices': 'allow',
      'POST /refunds': {
        confirm: 'confirm',
        thresholds: [{ field: 'body.amount', above: 500, escalate: 'review' }],
      },
      'DELETE /invoices/{id}': 'never',
    },
    fieldRestrictions: [
      {
        entity: 'invoice',
        field: 'iban',
        policy: 'role_gated',
        sensitivity: 'high',
        allowedRoles: ['manager'],
      },
    ],
  },
  'tools/close_month/tool.json': {
    description: 'Closes a month',
    confirm: true,
    parameters: { type: 'object', properties: {} },
  },
  'tools/close_month/handler.ts': 'export default async () => ({ closed: true })\n',
  'roles/accountant.json': role(['request', 'close_month'], ['books']),
  'roles/manager.json': role(['*'], ['*']),
  'roles/reader.json': role(['query_store'], ['books']),
}

interface Rights {
  readonly changes: readonly { readonly direction: string; readonly line: string }[]
  readonly problems: readonly string[]
  readonly not_compared: readonly string[]
}

async function opened(files: DoorOptions['files'] = FILES): Promise<Door> {
  const door = await openDoor({ script: writing, files })
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}

async function proposed(
  door: Door,
  files: Readonly<Record<string, string | object>>,
): Promise<{ readonly session: string; readonly rights: Rights | null }> {
  const lines = Object.entries(files).flatMap(([path, content]) => [
    ...(existsSync(join(door.dir, path)) ? [{ path }] : []),
    { path, content: typeof content === 'string' ? content : JSON.stringify(content) },
  ])
  const message = lines.map((line) => JSON.stringify(line)).join('\n')
  const chat = await door.post('/config/chat', { message, stream: false })
  expect(chat).toMatchObject({ status: 200 })
  const session = textIn(chat.body, 'session_id')
  const shown = await door.get(`/config/changes/${session}`)
  expect(shown.status).toBe(200)
  return { session, rights: shown.body['rights'] as unknown as Rights | null }
}

const linesOf = (rights: Rights | null): readonly string[] =>
  (rights?.changes ?? []).map(({ direction, line }) => `${direction} ${line}`)

test('a change of rules says what each role may do more and less', async () => {
  const door = await opened()
  const { rights } = await proposed(door, {
    'connections/books/access.json': {
      endpoints: {
        'GET /invoices': 'confirm',
        'POST /refunds': 'allow',
        'DELETE /invoices/{id}': 'review',
      },
      default: { read: 'allow', write: 'never' },
    },
  })
  expect(linesOf(rights)).toEqual([
    'more role accountant, role manager: may now call `DELETE /invoices/{id}` of `books` after a review',
    'less role accountant, role manager: may call `GET /invoices` of `books` after approval only; before: without asking',
    'more role accountant, role manager: may now call `POST /refunds` of `books` without asking; before: after approval',
    'less role accountant, role manager: may no longer make any other write of `books`',
    'more role accountant: may now see the field `invoice.iban` of `books` as it is; before: as a placeholder',
  ])
  expect(rights).toMatchObject({ problems: [], not_compared: [] })
  // The model is told the same, so that it can say so.
  expect(JSON.stringify(door.model.requests.at(-1)?.body.messages)).toContain(
    'may now call `POST /refunds` of `books` without asking',
  )
  expect((await door.get('/config/changes')).body).toMatchObject({
    proposed: [{ rights: { changes: [{ direction: 'more' }, {}, {}, {}, {}] } }],
  })
})

test('a threshold, a tool, a new address and a secret are named', async () => {
  const door = await opened()
  const { rights } = await proposed(door, {
    'connections/books/access.json': {
      ...FILES['connections/books/access.json'],
      endpoints: {
        ...FILES['connections/books/access.json'].endpoints,
        'POST /refunds': 'confirm',
      },
    },
    'connections/books/spec.json': {
      baseUrl: 'https://elsewhere.example/v1',
      auth: { type: 'bearer', token: 'env:OTHER' },
    },
    'tools/close_month/tool.json': {
      ...FILES['tools/close_month/tool.json'],
      confirm: false,
    },
    'tools/pay/tool.json': {
      description: 'Pays',
      confirm: 'review',
      parameters: { type: 'object', properties: {} },
    },
    'tools/pay/handler.ts': 'export default async () => ({ paid: true })\n',
    'automations/nightly.json': { schedule: '0 3 * * *', prompt: 'Close the month.' },
  })
  expect(linesOf(rights)).toEqual([
    'more role accountant, role manager: may call `POST /refunds` of `books` without this from now on: review where body.amount is above 500',
    'more role accountant, role manager: may now use the tool `close_month` without asking; before: after approval',
    'more role manager: may now use the tool `pay` after a review',
    'other the connection `books` now reaches https://elsewhere.example/v1',
    'other the connection `books` now uses the secret OTHER',
    'other the connection `books` no longer reaches https://books.example/v1',
    'other the connection `books` no longer uses the secret BOOKS',
    'other the tool `close_month` does something else: its files change',
  ])
  expect(rights?.not_compared).toEqual(['automations/nightly.json'])
})

test('rules that would not be read are a problem, and the connection allows nothing', async () => {
  const door = await opened()
  const { rights } = await proposed(door, {
    'connections/books/access.json': { endpoints: { 'POST /refunds': 'perhaps' } },
  })
  expect(rights?.problems.join('\n')).toContain('connections/books/access.json:1')
  expect(linesOf(rights)).toContain(
    'less role accountant, role manager: may no longer call `GET /invoices` of `books`',
  )
})

test('an agent without roles allows everybody the same, and other files carry no rights', async () => {
  const door = await opened({})
  const without = await proposed(door, { 'knowledge/tax.md': '# Tax\n\n19 percent\n' })
  expect(without.rights).toBeNull()
  const { rights } = await proposed(door, {
    'connections/books/spec.json': { baseUrl: 'https://books.example' },
    'connections/books/access.json': { endpoints: { 'CALL x': 'allow' } },
  })
  expect(rights?.problems.join('\n')).toContain('this connection has no tools')
  const second = await proposed(door, {
    'connections/crm/spec.json': { baseUrl: 'https://crm.example' },
    'connections/crm/access.json': { endpoints: { 'GET /people': 'allow' } },
  })
  expect(linesOf(second.rights)).toEqual([
    'more everybody: may now call `GET /people` of `crm` without asking',
    'more everybody: may now make any other read of `crm` without asking',
    'more everybody: may now make any other write of `crm` after approval',
    'more everybody: may now use the tool `request` without asking',
    'other the connection `crm` now reaches https://crm.example',
    'other the connection `crm` now lets sub-agents write',
    'other the connection `crm` now has writes of sub-agents reviewed',
  ])
})

test('nothing of a proposal is run or fetched before it is accepted', async () => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const door = await opened({ '.env': 'BOOKS=a-key-of-books\n' })
  const mark = join(door.dir, 'ran')
  const { rights } = await proposed(door, {
    'connections/books/spec.json': {
      baseUrl: url,
      specUrl: `${url}/openapi.json`,
      format: 'openapi',
      auth: { type: 'bearer', token: 'env:BOOKS' },
    },
    'tools/probe.ts': `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(mark)}, '')\nexport default defineToolHandler({ description: 'x', handler: async () => 1 })\n`,
  })
  expect(linesOf(rights)).toContain(
    'more everybody: may now use the tool `probe` with approval where it says so itself',
  )
  expect(requests).toEqual([])
  expect(existsSync(mark)).toBe(false)
})
