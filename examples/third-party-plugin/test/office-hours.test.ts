import { explainStart, startFolder } from '@amodal/presets'
import { Agent, Inspector, LOCAL_TENANT, principalId } from '@amodal/sdk'
import { inspectionOf } from '@amodal/sdk/inspection'
import { pluginContract, reply, startModelServer } from '@amodal/sdk/testing'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { officeHours } from '../src/index.ts'

pluginContract(officeHours, { config: {} })

it('works from amodal.json, by its path', async () => {
  const model = await startModelServer({
    script: ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? reply.text('done')
        : reply.toolCalls({ name: 'is_open', arguments: { hour: 8 } }),
  })
  const started = await startFolder({
    dir: fileURLToPath(new URL('../agent', import.meta.url)),
    preset: 'embedded',
    env: { AMODAL_BASE_URL: model.url, AMODAL_MODEL: 'scripted', AMODAL_API_KEY: 'none' },
  })
  if (!started.ok) throw new Error(explainStart(started.error))
  const { kernel, close } = started.value
  const agent = kernel.scope.get(Agent)
  const turn = await agent
    .as({ tenant: LOCAL_TENANT, principal: principalId('me') })
    .ask({ text: 'Are you open at eight?' })
  expect(
    turn.ok && turn.value.events.find(({ type }) => type === 'tool_call_result'),
  ).toMatchObject({ result: '{"open":true}' })
  const compiled = await agent.compiled()
  expect(compiled.ok && compiled.value.prompt.text).toContain('open from 8:00 to 17:00')
  expect(inspectionOf(kernel.scope.get(Inspector)).plugins.map(({ name }) => name)).toContain(
    'office-hours',
  )
  await close()
  await model.close()
})
