import { ok, principalId, tenantId, type RouteContext } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { recordList, type StudioView } from '../src/tokens.ts'
import { createViews } from '../src/views.ts'

const VIEWS = new Map<string, StudioView>([
  ['stock', { title: 'Stock', route: '/api/stock' }],
  ['sales', { title: 'Sales', route: '/api/sales', scope: 'sales', refreshOn: ['sold'] }],
  ['agent-runs', { title: 'Runs', icon: 'runs', builtIn: 'runs', scope: 'agents' }],
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
  const viewsFor = async (scopes: readonly string[]) => {
    const response = await fetch(new Request('http://localhost/'), contextOf(scopes))
    return ((await response.json()) as { views: readonly { key: string }[] }).views
  }
  const keysFor = async (...scopes: readonly string[]): Promise<readonly string[]> =>
    (await viewsFor(scopes)).map(({ key }) => key)
  expect(await keysFor('sessions')).toEqual(['stock'])
  expect(await keysFor('sessions', 'agents')).toEqual(['stock', 'agent-runs'])
  expect(await viewsFor(['*'])).toEqual([
    { key: 'stock', title: 'Stock', route: '/api/stock', refreshOn: [] },
    { key: 'sales', title: 'Sales', route: '/api/sales', refreshOn: ['sold'] },
    { key: 'agent-runs', title: 'Runs', icon: 'runs', built_in: 'runs' },
  ])
})

test('a list of records is a widget of its own kind', () => {
  const list = { columns: ['Order'], records: [{ cells: ['A-17'] }] }
  expect(recordList(list)).toEqual({ widget_type: 'record-list', data: list })
})
