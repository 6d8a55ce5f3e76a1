import {
  explain,
  Inspector,
  LOCAL_TENANT,
  principalId,
  resolvePlan,
  startAgent,
  without,
} from '@amodal/sdk'
import { inspectionOf } from '@amodal/sdk/inspection'
import { reply, startModelServer } from '@amodal/sdk/testing'
import { expect, it } from 'vitest'
import { list } from '../src/list.ts'

it('is an agent of eight plugins, whose model is told of one tool', async () => {
  const model = await startModelServer({
    script: reply.toolsThenText(
      { name: 'room_free', arguments: { room: 'garden', hour: 10 } },
      'No, it is booked.',
    ),
  })
  const started = await startAgent(
    list({
      AMODAL_BASE_URL: model.url,
      AMODAL_MODEL: 'scripted',
      AMODAL_API_KEY: 'a-key-of-our-own',
    }),
  )
  if (!started.ok) throw new Error(explain(started.error))
  const { agent, kernel, close } = started.value
  const me = agent.as({ tenant: LOCAL_TENANT, principal: principalId('me') })

  const first = await me.ask({ text: 'Is the garden room free at ten?' })
  if (!first.ok) throw new Error(first.error.message)
  expect(first.value.text).toBe('No, it is booked.')
  expect(first.value.events.find(({ type }) => type === 'tool_call_result')).toMatchObject({
    result: '{"room":"garden","hour":10,"free":false}',
  })
  expect(model.requests[0]?.body.tools?.map((tool) => tool.function.name)).toEqual(['room_free'])

  model.play(({ messages }) =>
    reply.text(
      `I have read ${messages.filter(({ role }) => role === 'user').length} of your messages. Your key is a-key-of-our-own.`,
    ),
  )
  const again = await me.ask({ session: first.value.session, text: 'Thank you.' })
  expect(again.ok && again.value.text).toBe('I have read 2 of your messages. Your key is [MASKED].')

  expect(
    inspectionOf(kernel.scope.get(Inspector))
      .plugins.map(({ name }) => name)
      .toSorted(),
  ).toEqual([
    'front-desk',
    'guard-links',
    'guard-output',
    'loop',
    'model-openai-compatible',
    'outbound',
    'prompt',
    'secrets-env',
    'sessions-memory',
  ])
  await close()
  await model.close()
})

it('is told before anything runs what a shorter list would miss', () => {
  const plan = resolvePlan([...list({}), without('outbound')])
  expect(plan.ok ? '' : explain(plan.error)).toContain(
    'model-openai-compatible needs "outbound", and no plugin in the list provides it',
  )
})
