import { once } from 'node:events'
import { createServer } from 'node:http'
import { contentText, reply } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDoor, type Door } from '../security/support/door.ts'
import { as, keysOf } from '../security/support/people.ts'

describe('skills and knowledge of an agent', () => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor({
      env: keysOf({
        owner: { roles: ['owner'] },
        guest: { roles: ['guest'] },
        chatter: { roles: ['owner'], scopes: ['chat'] },
      }),
      files: {
        'skills/triage/SKILL.md': '# Skill: Triage\n\nDecides.\n\nTrigger: On an outage.\n\nLook.',
        'knowledge/incidents/checkout.md': '# Checkout\n\nIt is restarted on Mondays.',
        'roles/owner.json': { tools: ['*'], skills: ['*'], connections: ['*'] },
        'roles/guest.json': { tools: [], skills: [], connections: [] },
      },
      script: reply.text('Hello.'),
    })
  })
  afterAll(() => door[Symbol.asyncDispose]())

  test('are listed with when the model has them, and read one by one', async () => {
    const { body, status } = await door.get('/inspect/skills', as('owner'))
    expect(status).toBe(200)
    expect(body['skills']).toMatchObject([
      {
        name: 'Triage',
        trigger: 'On an outage.',
        file: 'skills/triage/SKILL.md',
        loaded: 'always',
        problems: [],
      },
    ])
    const skill = await door.get('/inspect/skills/Triage', as('owner'))
    expect(skill.body['text']).toContain('Look.')
    const knowledge = await door.get('/inspect/knowledge', as('owner'))
    expect(knowledge.body['knowledge']).toMatchObject([
      { name: 'incidents/checkout', title: 'Checkout', file: 'knowledge/incidents/checkout.md' },
    ])
    const document = await door.get('/inspect/knowledge/incidents%2Fcheckout', as('owner'))
    expect(document.body['text']).toContain('restarted on Mondays')
  })

  test('are those of the role of the caller, for the scope inspect', async () => {
    const guest = await door.get('/inspect/skills', as('guest'))
    expect(guest.body['skills']).toEqual([])
    expect((await door.get('/inspect/skills/Triage', as('guest'))).status).toBe(404)
    expect((await door.get('/inspect/skills/None', as('owner'))).status).toBe(404)
    expect((await door.get('/inspect/knowledge', as('chatter'))).status).toBe(403)
    expect((await door.get('/inspect/knowledge')).status).toBe(401)
  })
})

test('an agent compares its API documents with what the APIs serve', async () => {
  const document = (paths: object): string =>
    JSON.stringify({ openapi: '3.1.0', info: { title: 'CRM', version: '1' }, paths })
  const listed = { get: { responses: { '200': { description: 'Deals' } } } }
  const api = createServer((_, response) => void response.end(document({ '/leads': listed })))
  api.listen(0, '127.0.0.1')
  await once(api, 'listening')
  const address = api.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  await using door = await openDoor({
    files: {
      'connections/crm/spec.json': { baseUrl: origin, specUrl: `${origin}/openapi.json` },
      'connections/crm/access.json': { endpoints: { 'GET /deals': {} } },
      'connections/crm/openapi.json': document({ '/deals': listed }),
      'connections/plain/spec.json': { baseUrl: origin },
    },
    script: (request) => {
      const result = request.messages.findLast(({ role }) => role === 'tool')
      return result
        ? reply.text(contentText(result))
        : reply.toolCalls([{ name: 'check_api_drift', arguments: {} }])
    },
  })
  const answer = await door.post('/chat/sync', { message: 'Has an API changed?' })
  const text = JSON.stringify(answer.body)
  expect(text).toContain('removed operation GET /deals')
  expect(text).toContain('connections/crm/access.json')
  expect(text).not.toContain('plain')
  api.close()
})
