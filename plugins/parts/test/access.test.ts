import { defineBundle, type AccessTier, type BundleFile, type Connection } from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { errorsIn } from '@amodal/sdk/files'
import { withConnections } from '@amodal/plugin-connections/tokens'
import { accessOf, type Operation } from '@amodal/plugin-guard-access/tokens'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { combineParts, type InstalledPackage } from '../src/combine.ts'

// Rules of the folder and of a package together, judged by the guard that judges calls.

const ORDER: readonly AccessTier[] = ['allow', 'confirm', 'review', 'never']
const PATHS = [
  '/deals',
  '/deals/1',
  '/deals/2/notes',
  '/deals/1/notes/7',
  '/users/1',
  '/v1/deals/1',
]
const TEMPLATES = [
  '/deals',
  '/deals/{id}',
  '/deals/{key}',
  '/deals/1',
  '/deals/{id}/notes',
  '/deals/**',
  '/{any}/1',
  '/users/{id}',
  '/v1/deals/{id}',
  '/**',
  '/**/notes/{id}',
]
const METHODS = ['GET', 'POST', 'DELETE', '*', 'HEAD']
const operations: readonly Operation[] = PATHS.flatMap((path) =>
  ['GET', 'HEAD', 'POST', 'DELETE'].map((method) => ({ method, path: `/v1${path}` })),
)

const tier = fc.constantFrom('allow', 'confirm', 'review', 'never', 'hidden')
const rule = fc.oneof(
  tier,
  fc.record({ confirm: tier, taint: fc.constant('ignore') }),
  fc.record({
    confirm: tier,
    allow_fields: fc.subarray(['id', 'name', 'amount'], { minLength: 1 }),
  }),
)
const access = fc.record({
  endpoints: fc.dictionary(
    fc
      .tuple(fc.constantFrom(...METHODS), fc.constantFrom(...TEMPLATES))
      .map(([method, path]) => `${method} ${path}`),
    rule,
    { maxKeys: 5 },
  ),
  default: fc.record({ read: tier, write: tier }),
})

const SPEC = { protocol: 'rest', baseUrl: 'https://api.crm.example/v1' }
const own = (rules: object): readonly BundleFile[] => [
  { path: 'connections/crm/spec.json', text: JSON.stringify(SPEC) },
  { path: 'connections/crm/access.json', text: JSON.stringify(rules) },
]
const brought = (rules: object): InstalledPackage => ({
  name: 'parts',
  version: '1.0.0',
  folder: '.amodal/packages/parts',
  line: 1,
  capabilities: { connections: ['crm'], hosts: [], tools: [], secrets: [], effects: [] },
  contents: [{ path: 'connections/crm/access.json', bytes: Buffer.from(JSON.stringify(rules)) }],
})

async function connectionIn(files: readonly BundleFile[]): Promise<Connection> {
  const bundle = await withConnections({ ...defineBundle({ name: 'desk' }), files })
  expect(errorsIn(bundle.issues)).toEqual([])
  const [connection] = connectionsOf(bundle)
  if (!connection) throw new Error('there is no connection')
  return connection
}

const combined = (local: object, rules: object) => combineParts(own(local), [brought(rules)])

describe('access rules of the folder and of a package', () => {
  test('let nothing through that one of them would not', async () => {
    await fc.assert(
      fc.asyncProperty(access, access, async (local, rules) => {
        const both = await connectionIn(combined(local, rules).files)
        const judged = accessOf(both, operations)
        for (const one of [local, rules]) {
          const alone = accessOf(await connectionIn(own(one)), operations)
          for (const [at, { name, tier: strict, ignoresTaint }] of alone.entries()) {
            const found = judged[at]
            expect(
              ORDER.indexOf(found?.tier ?? 'allow'),
              `${name} is ${found?.tier ?? ''}, and ${strict ?? ''} in ${JSON.stringify(one)}`,
            ).toBeGreaterThanOrEqual(ORDER.indexOf(strict ?? 'allow'))
            if (found?.ignoresTaint === true) expect(ignoresTaint, name).toBe(true)
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  test('of two equal files are those of one', async () => {
    await fc.assert(
      fc.asyncProperty(access, async (rules) => {
        const both = accessOf(await connectionIn(combined(rules, rules).files), operations)
        const alone = accessOf(await connectionIn(own(rules)), operations)
        const overlapping = Object.keys(rules.endpoints).length > 1
        if (!overlapping) expect(both).toEqual(alone)
      }),
    )
  })

  test('keep thresholds, restrictions and scopes of both', async () => {
    const local = {
      endpoints: { 'POST /deals': { confirm: 'allow', thresholds: [above(100)] } },
      fieldRestrictions: [restriction('email', 'role_gated', ['sales', 'lead'])],
      delegations: { enabled: true, maxDurationDays: 9 },
    }
    const rules = {
      endpoints: { 'POST /deals': { confirm: 'confirm', thresholds: [above(50)] } },
      fieldRestrictions: [
        restriction('email', 'role_gated', ['lead', 'admin']),
        restriction('ssn', 'never_retrieve', []),
      ],
      rowScoping: { deal: { owner: { type: 'field_match', userContextField: 'id' } } },
      delegations: { enabled: false, maxDurationDays: 3 },
    }
    const { access: both } = await connectionIn(combined(local, rules).files)
    expect(both.rules).toMatchObject([
      { tier: 'confirm', thresholds: [{ above: 100 }, { above: 50 }] },
    ])
    expect(both.fieldRestrictions).toMatchObject([
      { field: 'email', allowedRoles: ['lead'] },
      { field: 'ssn', policy: 'never_retrieve' },
    ])
    expect(both.rowScoping).toMatchObject([{ entity: 'deal', field: 'owner' }])
    expect(both.delegations).toMatchObject({ enabled: false, maxDurationDays: 3 })
  })

  test('that contradict each other leave the connection out, and say why', async () => {
    const scoped = (field: string) => ({
      endpoints: {},
      rowScoping: { deal: { owner: { type: 'field_match', userContextField: field } } },
    })
    const { files, issues } = combined(scoped('id'), scoped('team'))
    expect(issues).toMatchObject([
      { code: 'PARTS_CONFLICT', file: 'connections/crm/access.json', line: 1 },
    ])
    const bundle = await withConnections({ ...defineBundle({ name: 'desk' }), files })
    expect(connectionsOf(bundle)).toEqual([])
  })

  test('of a package that cannot be read leave the connection out', async () => {
    const { files, issues } = combined({ endpoints: {} }, { endpoint: {} })
    expect(issues[0]?.message).toContain('the rules of parts cannot be used')
    const bundle = await withConnections({ ...defineBundle({ name: 'desk' }), files })
    expect(connectionsOf(bundle)).toEqual([])
  })
})

const above = (amount: number) => ({ field: 'body.amount', above: amount, escalate: 'review' })
const restriction = (field: string, policy: string, allowedRoles: readonly string[]) => ({
  entity: 'deal',
  field,
  policy,
  allowedRoles,
})
