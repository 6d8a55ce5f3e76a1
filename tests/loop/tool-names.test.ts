import { definePlugin, ToolAliases, Tools, use, type ToolSource } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { startTestAgent } from './support/agent.ts'
import { eventsOf } from './support/frames.ts'
import { success, writes } from './support/tools.ts'

const source = (name: string, made: ToolSource, aliases: Readonly<Record<string, string>> = {}) =>
  use(
    definePlugin({
      name,
      version: '1.0.0',
      setup({ add }) {
        add(Tools, name, made)
        add(ToolAliases, name, () => aliases)
      },
    }),
  )

test('of two sources with one name the first has it, whatever the case, and the agent works', async () => {
  const agent = await startTestAgent({
    plugins: [
      source('one', { tools: () => [writes('save', () => success('one'))] }),
      source('two', { tools: () => [writes('Save', () => success('two')), writes('more')] }),
      source('three', { tools: () => [writes('x'.repeat(65)), writes('a b'), writes('last')] }),
    ],
    script: [{ calls: [{ name: 'save', id: 's' }] }, { text: 'done' }],
  })
  const turn = await agent.say('go')
  expect(agent.model.asked[0]?.tools).toEqual(['save', 'more', 'last'])
  expect(eventsOf(turn, 'tool_call_result')).toMatchObject([{ status: 'success', result: 'one' }])
})

test('what comes from elsewhere never takes the name of another tool, whichever comes first', async () => {
  const agent = await startTestAgent({
    plugins: [
      source('elsewhere', {
        tools: () => [writes('save', () => success('elsewhere'))],
        revision: () => '1',
      }),
      source('own', { tools: () => [writes('save', () => success('own'))] }),
    ],
    script: [{ calls: [{ name: 'save', id: 's' }] }, { text: 'done' }],
  })
  expect(eventsOf(await agent.say('go'), 'tool_call_result')).toMatchObject([{ result: 'own' }])
})

test('a second name that means two tools means none', async () => {
  const agent = await startTestAgent({
    plugins: [
      source('one', { tools: () => [writes('a')] }, { put: 'a', keep: 'a' }),
      source('two', { tools: () => [writes('b')] }, { put: 'b' }),
    ],
    script: [
      {
        calls: [
          { name: 'put', id: 'p' },
          { name: 'keep', id: 'k' },
        ],
      },
      { text: 'done' },
    ],
  })
  await agent.say('go')
  expect(agent.model.asked[1]?.results).toMatchObject({
    p: 'There is no tool "put". There are: a, b.',
  })
})
