import { ok, principalId, tenantId, type RouteContext } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { recordList, type StudioView } from '../src/tokens.ts'
import { createViews } from '../src/views.ts'

const VIEWS = new Map<string, StudioView>([
  ['stock', { title: 'Stock', route: '/api/stock' }],
  ['runs', { title: 'Runs', route: '/api/runs', scope: 'agents', refreshOn: ['run_ended'] }],
])
const contextOf = (scopes: readonly string[]): RouteContext => {
  const principal = principalId('ann')
  return {
    signal: new AbortController().signal,
    identity: { principal, roles: [], scopes, choosesTenant: false },
    caller: () => ok({ tenant: tenantId('acme'), principal }),
  }
}

test('views are offered to those whose credential is good for their routes', async () => {
  const { fetch } = createViews(() => VIEWS)
  const keysFor = async (...scopes: readonly string[]): Promise<readonly string[]> => {
    const response = await fetch(new Request('http://localhost/'), contextOf(scopes))
    const { views } = (await response.json()) as { views: readonly { key: string }[] }
    return views.map(({ key }) => key)
  }
  expect(await keysFor('sessions')).toEqual(['stock'])
  expect(await keysFor('sessions', 'agents')).toEqual(['stock', 'runs'])
  expect(await keysFor('*')).toEqual(['stock', 'runs'])
})

test('a list of records is a widget of its own kind', () => {
  const list = { columns: ['Order'], records: [{ cells: ['A-17'] }] }
  expect(recordList(list)).toEqual({ widget_type: 'record-list', data: list })
})
