import { reply } from '@amodal/sdk/testing'
import { OpenAPIClientAxios, type Document } from 'openapi-client-axios'
import { expect, test } from 'vitest'
import { BASE, keyOf, serving } from './support/serving.ts'

test('a client that is made from the OpenAPI document can do all of it', async () => {
  const server = await serving({
    script: reply.toolsThenText(
      { name: 'ask_user', arguments: { question: 'Which tone?' } },
      'Written.',
    ),
  })
  const { body } = await server.get('/agents/openapi.json')
  const api = new OpenAPIClientAxios({
    definition: body as unknown as Document, // it is what the library checks
    axiosConfigDefaults: {
      baseURL: server.url,
      headers: { authorization: `Bearer ${keyOf('acme')}` },
      validateStatus: () => true,
    },
  })
  const client = await api.init()
  /** Calls an operation by the name that the document gives it. */
  const call = async (
    operation: string,
    parameters: Readonly<Record<string, string>> = {},
    data?: object,
  ): Promise<{ readonly status: number; readonly data: Record<string, unknown> }> => {
    const made = client[operation]
    if (!made) throw new Error(`the document has no operation "${operation}"`)
    const { status, data: answer } = await made({ ...parameters }, data)
    return { status, data: answer as Record<string, unknown> } // JSON of the server
  }

  expect(api.getOperations().map(({ path }) => path)).toContain(`${BASE}/agents/{id}/status`)
  expect((await call('listProfiles')).data).toMatchObject({
    profiles: [{ id: 'agent' }, { id: 'content_writer' }, { id: 'researcher' }, { id: 'copilot' }],
  })
  const started = await call(
    'startAgent',
    { 'Idempotency-Key': 'k' },
    { profile_id: 'agent', task: 'write' },
  )
  expect(started.status).toBe(202)
  const again = await call(
    'startAgent',
    { 'Idempotency-Key': 'k' },
    { profile_id: 'agent', task: 'write' },
  )
  expect(again.data['session_id']).toBe(started.data['session_id'])
  const id = String(started.data['session_id'])
  await server.until(id, 'awaiting_input')
  const status = await call('getAgentStatus', { id, include_events: 'true' })
  expect(status.data).toMatchObject({ pending_input: { pending_input_type: 'question' } })
  expect((await call('resumeAgent', { id }, { input: { response: 'plain' } })).status).toBe(200)
  await server.until(id, 'complete')
  expect(await call('cancelAgent', { id }, {})).toMatchObject({
    status: 409,
    data: { status: 'cannot_cancel' },
  })
  expect((await call('listAgents')).data).toMatchObject({ sessions: [{ session_id: id }] })
  expect((await call('getArtifact', { id: 'art_none' })).status).toBe(404)
})
