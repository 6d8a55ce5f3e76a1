import type { AccessRules, Action, AgentBundle } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { endpointOf } from '../src/endpoint.ts'
import { agent, request } from './support.ts'

const ENDPOINTS = [
  'POST /tickets/{id}/close',
  'POST /tickets/7/close',
  'POST /files/{name}.json',
  'POST /v1/orders',
  '* /any/{id}',
  'POST /admin/**',
]

/** An agent whose connection `crm` has these rules. */
const bundle: AgentBundle = {
  ...agent(),
  parts: {
    connections: [
      {
        name: 'crm',
        protocol: 'rest',
        spec: {},
        access: {
          rules: ENDPOINTS.map((endpoint) => {
            const [method = '', path = ''] = endpoint.split(' ')
            return { method, path, tier: 'allow', returns: [], thresholds: [] }
          }),
        } as unknown as AccessRules, // all that is read here
      },
    ] as never,
  },
}
const endpoint = (action: Partial<Action> & Pick<Action, 'method' | 'path'>): string =>
  endpointOf(request(action).action as Action, bundle) // `request` sets it

test.each<readonly [string, string]>([
  ['/api/tickets/4/close', 'POST /tickets/{id}/close'],
  ['/api/Tickets/4/CLOSE', 'POST /tickets/{id}/close'],
  ['/api/tickets/7/close', 'POST /tickets/7/close'],
  ['/api/tickets/4/reopen', 'POST /tickets/4/reopen'],
  ['/api/files/a.json', 'POST /files/{name}.json'],
  ['/api/files/a.sh', 'POST /files/a.sh'],
  ['/api/any/4', 'POST /any/{id}'],
  ['/api/admin/users/4', 'POST /admin/users/4'],
  ['/api/tickets/4%2Fclose', 'POST /tickets/4%2Fclose'],
])('a grant for %s covers %s', (path, expected) => {
  expect(endpoint({ method: 'POST', path })).toBe(expected)
})

test('a rule may be written with the base path', () => {
  const path = '/v1/orders'
  expect(endpoint({ method: 'POST', path, base: '/v1' })).toBe('POST /v1/orders')
})

test.each<readonly [string, string]>([
  ['mutation { closeTicket(id: 4) { id } }', 'MUTATION closeTicket'],
  [
    'mutation { b: openTicket { id } a: closeTicket(id: 5) { id } }',
    'MUTATION closeTicket, openTicket',
  ],
])('a grant for %s covers %s', (query, expected) => {
  expect(endpoint({ method: 'MUTATION', path: '/api/graphql', body: { query } })).toBe(expected)
})

test('of a document that cannot be read it covers that document', () => {
  const [one, other] = ['mutation {', 'mutation { {'].map((query) =>
    endpoint({ method: 'MUTATION', path: '/api/graphql', body: { query } }),
  )
  expect(one).toMatch(/^MUTATION of document [0-9a-f]{12}$/)
  expect(other).not.toBe(one)
})
