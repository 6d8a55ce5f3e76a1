import loop from '@amodal/plugin-loop'
import outbound from '@amodal/plugin-outbound'
import queueMemory from '@amodal/plugin-queue-memory'
import { roles } from '@amodal/plugin-roles'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import {
  Authenticator,
  defineBundle,
  definePlugin,
  ok,
  principalId,
  use,
  type Identity,
} from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { automations } from '../src/index.ts'
import { inventory } from '../src/inventory.ts'
import { boot, type Booted } from './support.ts'

pluginContract(automations, {
  config: { deadlineSeconds: 60 },
  with: [
    use(secretsEnv, { masterKey: 'memory' }),
    use(outbound),
    use(loop),
    use(sessionsMemory),
    use(queueMemory),
  ],
})

/** Whoever says their role in a header has it. */
const byHeader = definePlugin({
  name: 'by-header',
  version: '1.0.0',
  provides: [Authenticator],
  setup: ({ provide }) =>
    provide(Authenticator, () => ({
      configured: () => true,
      authenticate: async (request) => {
        const role = request.headers.get('x-role')
        const identity: Identity = {
          principal: principalId(`of:${role ?? ''}`),
          choosesTenant: true,
          roles: role === null ? [] : [role],
          scopes: ['*'],
        }
        return ok(role === null ? undefined : identity)
      },
    })),
})

/** An agent with an automation and three roles. */
const bootWithRoles = (): Promise<Booted> =>
  boot({
    files: {
      'automations/digest.json': { prompt: 'Sum up.', role: 'viewer' },
      'roles/viewer.json': { tools: [] },
      'roles/chief.json': { tools: [], automations: { can_create: true } },
      'roles/guest.json': { tools: [], automations: { can_view: false } },
    },
    plugins: [use(roles), use(byHeader)],
  })

test('a role says who may look at automations, and who may run them', async () => {
  const agent = await bootWithRoles()
  const asked = async (role: string): Promise<readonly number[]> => {
    const headers = { 'x-role': role }
    const listed = await fetch(`${agent.url}/automations`, { headers })
    return [listed.status, (await agent.post('/automations/digest/run', {}, headers)).status]
  }
  expect(await asked('viewer')).toEqual([200, 403])
  expect(await asked('chief')).toEqual([200, 200])
  expect(await asked('guest')).toEqual([404, 404])
  expect((await fetch(`${agent.url}/automations`)).status).toBe(401)
})

test('the view of the studio offers what a role allows', async () => {
  const agent = await bootWithRoles()
  const view = async (role: string, query = '') => {
    const path = `${agent.url}/api/studio/automations${query}`
    const answer = await fetch(path, { headers: { 'x-role': role } })
    return { status: answer.status, text: await answer.text() }
  }
  for (const query of ['', '?automation=digest']) {
    const seen = await view('viewer', query)
    expect(seen).toMatchObject({ status: 200, text: expect.stringContaining('digest') })
    expect(seen.text).not.toContain('Run now')
    expect((await view('chief', query)).text).toContain('Run now')
    expect((await view('guest', query)).status).toBe(404)
  }
  expect((await view('chief', '?runs=0')).status).toBe(400)
})

test('they are listed with their trigger and whether they may write', () => {
  const digest = { name: 'digest', title: 'Digest', trigger: 'cron', schedule: '0 7 * * *' }
  const incident = { name: 'incident', title: 'Incident', trigger: 'webhook', writeEnabled: true }
  const bundle = {
    ...defineBundle({ name: 'night' }),
    parts: {
      automations: [
        {
          ...digest,
          timezone: 'Europe/Berlin',
          writeEnabled: false,
          file: 'automations/digest.json',
        },
        { ...incident, timezone: 'UTC', file: 'automations/incident.json' },
      ],
      roles: { given: true, roles: [] },
    },
  }
  expect(inventory.items(bundle, undefined)).toMatchObject([
    {
      name: 'digest',
      about: '0 7 * * * (Europe/Berlin), read-only',
      facts: { schedule: '0 7 * * *', timezone: 'Europe/Berlin', writeEnabled: false },
    },
    {
      name: 'incident',
      about: 'webhook /webhooks/incident, may write',
      facts: { trigger: 'webhook', webhookPath: '/webhooks/incident', writeEnabled: true },
    },
  ])
  expect(inventory.items(bundle, [])).toEqual([]) // no role of theirs may see them
})

test('the default role decides about whoever has none', async () => {
  const asked = async (defaultRole?: string): Promise<readonly number[]> => {
    const agent = await boot({
      files: {
        'automations/digest.json': { prompt: 'Sum up.', role: 'chief' },
        'roles/chief.json': { tools: [], automations: { can_create: true } },
        'roles/clerk.json': { tools: [] },
      },
      plugins: [use(roles, { ...(defaultRole !== undefined && { defaultRole }) })],
    })
    const listed = await fetch(`${agent.url}/automations`)
    return [listed.status, (await agent.post('/automations/digest/run')).status]
  }
  expect(await asked('chief')).toEqual([200, 200])
  expect(await asked('clerk')).toEqual([200, 403])
  // The person of this machine has every right.
  expect(await asked()).toEqual([200, 200])
})
