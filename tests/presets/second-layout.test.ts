import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '@amodal/sdk'
import { reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { openDoor, type Door } from '../security/support/door.ts'

const BEDS = {
  name: 'beds',
  key: '{bed_id}',
  deletable: true,
  indexed: ['crop'],
  schema: { bed_id: { type: 'string' }, crop: { type: 'string', nullable: true } },
}
const FILES = {
  'amodal/agents/default/AGENT.md': '## Config\n\nYou keep the beds.',
  'amodal/agents/default/agent.json': {
    _comment_why: 'The most that it may use.',
    tools: ['bed_status'],
    skills: ['watering'],
    subagents: ['botanist'],
    stores: { beds: 'rw' },
  },
  'amodal/agents/botanist/AGENT.md': 'You name plants.',
  'amodal/agents/botanist/agent.json': { tools: ['load_knowledge'], stores: { beds: 'read' } },
  'amodal/stores/beds.json': BEDS,
  'amodal/stores/seeds.json': { key: '{id}', schema: { id: { type: 'string' } } },
  'amodal/skills/watering/SKILL.md':
    '---\nname: watering\ndescription: How to water.\n---\nSlowly.',
  'amodal/skills/pruning/SKILL.md': '---\nname: pruning\ndescription: How to prune.\n---\nLess.',
  'amodal/knowledge/soil.md': '# Soil\n\nLoam.',
  'amodal/_lib/crops.ts': "export const dry = ['thyme']\n",
  'amodal/tools/bed_status/tool.json': {
    name: 'bed_status',
    description: 'Says how a bed fares.',
    parameters: { type: 'object', properties: { crop: { type: 'string' } } },
    readOnly: true,
  },
  'amodal/tools/bed_status/handler.ts':
    "import { dry } from '../../_lib/crops.js'\nexport default (params) => ({ dry: dry.includes(params.crop) })\n",
  'amodal/tools/dig/tool.json': {
    name: 'dig',
    description: 'Digs.',
    type: 'http',
    request: { method: 'POST', url: 'https://farm.example/dig' },
  },
}

const toolNames = ({ tools = [] }: ChatCompletionRequest): readonly string[] =>
  tools.map((tool) => tool.function.name).toSorted()

/** Calls the tool when a person asks, and answers once its result is in. */
const call =
  (name: string, args: JsonObject) =>
  ({ messages }: ChatCompletionRequest): Reply =>
    messages.at(-1)?.role === 'tool'
      ? reply.text('done')
      : reply.toolCalls({ name, arguments: args })

/** The result of the newest tool call, as the model received it. */
const lastResult = ({ model }: Door): string =>
  JSON.stringify(model.requests.at(-1)?.body.messages.at(-1))

describe('an agent folder of the second layout', () => {
  test('gives its main agent what agent.json names, and nothing else', async () => {
    await using door = await openDoor({ files: FILES, script: reply.text('hello') })
    await door.say('hello')
    const [first] = door.model.requests
    if (!first) throw new Error('the model was not called')
    expect(toolNames(first.body)).toEqual([
      'bed_status',
      'call_subagent',
      'store__beds__get',
      'store__beds__list',
      'store__beds__query',
      'store__beds__remove',
      'store__beds__set',
    ])
    const prompt = JSON.stringify(first.body.messages[0])
    expect(prompt).toContain('You keep the beds.')
    expect(prompt).toContain('## Config')
    expect(prompt).toContain('watering')
    expect(prompt).not.toContain('pruning')
  })

  test('runs its tools with code that they share', async () => {
    await using door = await openDoor({
      files: FILES,
      script: call('bed_status', { crop: 'thyme' }),
    })
    await door.say('How is the thyme?')
    expect(lastResult(door)).toContain('true')
  })

  test.each(['dig', 'query_store', 'delete_from_store', 'dispatch_task', 'store__seeds__get'])(
    'refuses %s, which no list names',
    async (name) => {
      await using door = await openDoor({ files: FILES, script: call(name, { store: 'beds' }) })
      await door.say('do it')
      expect(lastResult(door)).toMatch(/There is no tool|may not use/)
    },
  )

  test('keeps the documents of its stores', async () => {
    const steps: readonly (readonly [string, JsonObject, RegExp])[] = [
      ['store__beds__get', { key: 'b1' }, /not found/],
      ['store__beds__set', { key: 'b2', value: { bed_id: 'b1' } }, /must be .*b1/],
      ['store__beds__set', { key: 'b1', value: { bed_id: 7 } }, /bed_id/],
      ['store__beds__set', { key: 'b1', value: { bed_id: 'b1', crop: 'thyme' } }, /stored/],
      ['store__beds__get', { key: 'b1' }, /thyme/],
      ['store__beds__query', { where: { crop: 'thyme' } }, /hasMore.*false/],
      ['store__beds__query', { where: { colour: 'red' } }, /colour/],
      ['store__beds__list', { limit: 1 }, /b1/],
      ['store__beds__remove', { key: 'b1' }, /deleted.*true/],
      ['store__beds__list', {}, /total.*0/],
    ]
    let step = 0
    await using door = await openDoor({
      files: FILES,
      script: (request) => {
        const [name, args] = steps[step] ?? ['', {}]
        return call(name, args)(request)
      },
    })
    for (const [, , expected] of steps) {
      await door.say(`step ${step}`)
      expect(lastResult(door)).toMatch(expected)
      step++
    }
  })

  test('lets a sub-agent have its own tools, and no others', async () => {
    const requests: ChatCompletionRequest[] = []
    await using door = await openDoor({
      files: FILES,
      script: (request) => {
        requests.push(request)
        const isChild = JSON.stringify(request.messages[0]).includes('You name plants.')
        if (isChild) return reply.text('It is thyme.')
        const args = { name: 'botanist', task: 'What grows here?', input: { bed: 'b1' } }
        return call('call_subagent', args)(request)
      },
    })
    await door.say('What grows in bed 1?')
    const child = requests.find(({ messages }) =>
      JSON.stringify(messages[0]).includes('You name plants.'),
    )
    if (!child) throw new Error('the sub-agent was not called')
    expect(toolNames(child)).toEqual([
      'store__beds__get',
      'store__beds__list',
      'store__beds__query',
    ])
    expect(JSON.stringify(child.messages)).toContain('b1')
    expect(JSON.stringify(child.messages[0])).toContain('Loam.')
    expect(lastResult(door)).toContain('It is thyme.')
  })

  test.each([
    ['a field that is not known', { tools: [], tool: ['dig'] }],
    ['a mode that is not known', { tools: ['dig'], stores: { beds: 'write' } }],
    ['a list that is none', { tools: 'dig' }],
  ])('leaves the main agent without tools for %s', async (_what, json) => {
    const files = { ...FILES, 'amodal/agents/default/agent.json': json }
    await using door = await openDoor({ files, script: reply.text('hello') })
    await door.say('hello')
    expect(door.model.requests.map(({ body }) => toolNames(body))).toEqual([[]])
    const health = await door.get('/inspect/health', { authorization: `Bearer ${door.token}` })
    expect(health.text).toContain('amodal/agents/default/agent.json')
  })

  test('names what agent.json names and nothing has', async () => {
    const files = {
      ...FILES,
      'amodal/agents/default/agent.json': {
        tools: ['bed_state'],
        skills: ['mowing'],
        connections: ['farm'],
        subagents: ['zoologist'],
        stores: { bed: 'rw' },
      },
    }
    await using door = await openDoor({ files, script: reply.text('hello') })
    const { text } = await door.get('/inspect/health', { authorization: `Bearer ${door.token}` })
    for (const name of ['bed_state', 'mowing', 'farm', 'zoologist', 'bed'])
      expect(text).toContain(`\\"${name}\\"`)
  })

  test('is mixed with the first one, and follows edits', async () => {
    const { 'amodal/stores/beds.json': beds, ...others } = FILES
    await using door = await openDoor({
      files: { ...others, 'stores/beds.json': beds },
      script: reply.text('hello'),
    })
    await rm(join(door.dir, 'amodal/skills/watering'), { recursive: true })
    await mkdir(join(door.dir, 'skills'), { recursive: true })
    await writeFile(
      join(door.dir, 'skills/watering.md'),
      '---\nname: watering\ndescription: With rain water.\n---\nSlowly.',
    )
    await expect
      .poll(
        async () => {
          await door.say('hello')
          return JSON.stringify(door.model.requests.at(-1)?.body.messages[0])
        },
        { timeout: 30_000 },
      )
      .toContain('With rain water.')
    expect(toolNames(door.model.requests.at(-1)?.body ?? { model: '', messages: [] })).toContain(
      'store__beds__set',
    )
  })
})
