import { expect, onTestFinished, test } from 'vitest'
import { reply } from '@amodal/sdk/testing'
import { openDoor, type Door } from '../security/support/door.ts'

const FILES = {
  'connections/books/spec.json': { baseUrl: 'https://books.example/v1' },
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
  'roles/accountant.json': { tools: ['request'], skills: [], connections: ['books'] },
  'roles/manager.json': { tools: ['*'], skills: [], connections: ['*'] },
}

interface Subject {
  readonly name: string
  readonly rights: readonly {
    readonly kind: string
    readonly what: string
    readonly level: string
    readonly how: string
    readonly conditions: readonly string[]
  }[]
}

async function opened(files: Readonly<Record<string, object>>): Promise<Door> {
  const door = await openDoor({ script: () => reply.text('Hello.'), files })
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}

async function rightsIn(door: Door): Promise<readonly Subject[]> {
  const { status, body } = await door.get('/inspect/rights')
  expect(status).toBe(200)
  return body['subjects'] as unknown as readonly Subject[]
}

const levelOf = ({ rights }: Subject, what: string): readonly (string | undefined)[] => {
  const right = rights.find((one) => one.what === what)
  return [right?.level, right?.how, ...(right?.conditions ?? [])]
}

test('each role has its rights by connection, tool and field, as the guards judge them', async () => {
  const [accountant, manager, others] = await rightsIn(await opened(FILES))
  if (!accountant || !manager || !others) throw new Error('three subjects are expected')
  expect([accountant.name, manager.name, others.name]).toEqual([
    'role accountant',
    'role manager',
    'people without a role',
  ])
  expect(levelOf(accountant, 'call `GET /invoices` of `books`')).toEqual([
    'allow',
    'without asking',
  ])
  expect(levelOf(accountant, 'call `POST /refunds` of `books`')).toEqual([
    'confirm',
    'after approval',
    expect.stringContaining('500'),
  ])
  expect(levelOf(accountant, 'call `DELETE /invoices/{id}` of `books`')[0]).toBe('none')
  const iban = 'see the field `invoice.iban` of `books`'
  expect([levelOf(accountant, iban)[0], levelOf(manager, iban)[0]]).toEqual(['masked', 'allow'])
  expect(accountant.rights.some(({ what }) => what === 'use the tool `query_store`')).toBe(false)
  expect(manager.rights.filter(({ kind }) => kind === 'tool').length).toBeGreaterThan(
    accountant.rights.filter(({ kind }) => kind === 'tool').length,
  )
})

test('an agent without roles has one subject: everybody', async () => {
  const { 'roles/accountant.json': _, 'roles/manager.json': __, ...files } = FILES
  const [everybody, ...others] = await rightsIn(await opened(files))
  expect([everybody?.name, others]).toEqual(['everybody', []])
  expect(everybody?.rights.length).toBeGreaterThan(3)
})

test('whoever has not the whole agent is told of their own rights alone', async () => {
  const key = `amodal_${'a'.repeat(12)}_${'b'.repeat(43)}`
  const door = await openDoor({
    script: () => reply.text('Hello.'),
    files: FILES,
    manifest: {
      plugins: [
        ['auth', { keys: [{ key: 'env:KEY', name: 'ann', roles: ['accountant'], scopes: ['*'] }] }],
      ],
    },
    env: { KEY: key },
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  const { body, text } = await door.get('/inspect/rights', { authorization: `Bearer ${key}` })
  const [own, ...others] = body['subjects'] as unknown as readonly Subject[]
  expect([own?.name, others]).toEqual(['you', []])
  if (own) expect(levelOf(own, 'call `GET /invoices` of `books`')[0]).toBe('allow')
  expect(text).not.toContain('manager')
})
