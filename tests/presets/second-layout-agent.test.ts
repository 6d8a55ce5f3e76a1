import type { JsonObject } from '@amodal/sdk'
import { reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { openDoor, type Door } from '../security/support/door.ts'

const AGENT = {
  'amodal/agents/default/AGENT.md': 'You keep the beds.',
  'amodal/agents/default/agent.json': { tools: ['memory', 'bed_status'] },
  'amodal/tools/bed_status/tool.json': { description: 'd' },
  'amodal/tools/bed_status/handler.ts': 'export default () => 1',
}
const toolNames = ({ model }: Door): readonly string[] =>
  (model.requests.at(-1)?.body.tools ?? []).map((tool) => tool.function.name).toSorted()
const call =
  (name: string, args: JsonObject) =>
  ({ messages }: ChatCompletionRequest): Reply =>
    messages.at(-1)?.role === 'tool'
      ? reply.text('done')
      : reply.toolCalls({ name, arguments: args })
const lastResult = ({ model }: Door): string =>
  JSON.stringify(model.requests.at(-1)?.body.messages.at(-1))
const bearer = ({ token }: Door): Record<string, string> => ({ authorization: `Bearer ${token}` })

describe('`memory` of amodal.json', () => {
  const open = (memory: JsonObject, script: Parameters<typeof openDoor>[0]['script']) =>
    openDoor({ files: AGENT, manifest: { memory }, script })

  test('takes the memory away where it is not enabled', async () => {
    await using door = await open({ enabled: false }, call('remember', { text: 'Thyme is dry.' }))
    await door.say('Remember it.')
    expect(toolNames(door)).toEqual(['bed_status'])
    expect(lastResult(door)).toContain('There is no tool')
  })

  test('lets nobody write where it says `none`', async () => {
    await using door = await open({ enabled: true, editableBy: 'none' }, reply.text('hello'))
    await door.say('hello')
    expect(toolNames(door)).toEqual(['bed_status', 'recall'])
  })

  test('refuses notes beyond its limits', async () => {
    const notes = ['Thyme is dry.', 'Mint is wet.', 'Sage is old.']
    let at = 0
    await using door = await open({ enabled: true, maxTotalChars: 26 }, (request) =>
      call('remember', { text: notes[at] ?? '' })(request),
    )
    for (const expected of [/Noted as/, /Noted as/, /room for 26 characters/]) {
      await door.say(`note ${at}`)
      expect(lastResult(door)).toMatch(expected)
      at++
    }
  })

  test('reminds the model every few messages', async () => {
    await using door = await open({ enabled: true, nudgeInterval: 2 }, reply.text('hello'))
    const { body } = await door.say('one')
    const prompt = (): string => JSON.stringify(door.model.requests.at(-1)?.body.messages[0])
    expect(prompt()).not.toContain('Keep what matters')
    const session = body['session_id'] ?? ''
    await door.say('two', { session_id: session })
    expect(prompt()).toContain('Keep what matters')
  })

  test.each<readonly [string, JsonObject, string]>([
    ['no `enabled`', { editableBy: 'any' }, 'memory.enabled'],
    ['another value', { enabled: 'no' }, 'memory.enabled'],
    ['an unknown field', { enabled: false, maxNotes: 3 }, 'memory.maxNotes'],
    ['an unknown editor', { enabled: true, editableBy: 'owner' }, 'editableBy'],
    ['what nothing does yet', { enabled: true, sessionSearch: true }, 'no tool searches'],
  ])('stops the start with %s', async (_what, memory, message) => {
    await expect(open(memory, reply.text(''))).rejects.toThrow(message)
  })
})

test('agent.ts gives what its conditions allow in this turn', async () => {
  await using door = await openDoor({
    files: {
      ...AGENT,
      'amodal/agents/default/agent.ts': `export default {
        tools: [{ name: 'bed_status', conditional: (ctx) => ctx.humanPresent && ctx.context.bed === 'b1' }],
      }`,
    },
    script: reply.text('hello'),
  })
  await door.say('hello', { context: { bed: 'b1' } })
  expect(toolNames(door)).toEqual(['bed_status'])
  await door.say('hello', { context: { bed: 'b2' } })
  expect(toolNames(door)).toEqual([])
})

test('a condition that never answers is false, for skills as well as for tools', async () => {
  await using door = await openDoor({
    files: {
      ...AGENT,
      'amodal/skills/watering/SKILL.md':
        '---\nname: watering\ndescription: How to water.\n---\nSlowly.',
      'amodal/skills/pruning/SKILL.md':
        '---\nname: pruning\ndescription: How to prune.\n---\nLess.',
      'amodal/agents/default/agent.ts': `const slow = (ctx) => {
        while (ctx.context.bed !== 'b1') {}
        return true
      }
      export default {
        tools: [{ name: 'bed_status', conditional: slow }],
        skills: ['watering', { name: 'pruning', conditional: slow }],
      }`,
    },
    script: reply.text('hello'),
  })
  const prompt = (): string => JSON.stringify(door.model.requests.at(-1)?.body.messages[0])
  await door.say('hello', { context: { bed: 'b1' } })
  expect(prompt()).toContain('How to prune')
  await door.say('hello', { context: { bed: 'b2' } })
  expect(prompt()).toContain('How to water')
  expect(prompt()).not.toContain('How to prune')
  expect(toolNames(door)).not.toContain('bed_status')
})

test('a tool runs on its schedule as an automation, without a model', async () => {
  await using door = await openDoor({
    files: {
      ...AGENT,
      'amodal/tools/bed_status/tool.json': {
        description: 'd',
        triggers: [{ kind: 'schedule', cron: '0 6 * * *' }],
      },
      'amodal/tools/bed_status/handler.ts': "export default () => 'All beds are wet.'",
    },
    script: reply.text('a model'),
  })
  const listed = await door.get('/automations', bearer(door))
  expect(listed.text).toContain('tool_bed_status')
  expect(listed.text).toContain('0 6 * * *')
  const started = await door.post('/automations/tool_bed_status/run', {}, bearer(door))
  expect(started.status).toBeLessThan(300)
  await expect
    .poll(async () => (await door.get('/automations/tool_bed_status/runs', bearer(door))).text, {
      timeout: 30_000,
    })
    .toContain('All beds are wet.')
  expect(door.model.requests).toHaveLength(0)
})
