import { defineTool, type Json } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startTestAgent } from './support/agent.ts'
import { only } from './support/entries.ts'

const ID = '2512292042121000001'

test('a tool gets the digits where it takes any JSON, and one that takes doubles refuses an id that it would round', async () => {
  const given: Json[] = []
  const taking = (name: string, input: z.ZodObject) =>
    defineTool({
      name,
      description: name,
      readOnly: true,
      input,
      execute: (args) => {
        given.push(args['id'] as Json) // any JSON
        return Promise.resolve({ status: 'success', output: { id: args['id'] as Json } })
      },
    })
  const agent = await startTestAgent({
    script: [
      {
        calls: [
          { name: 'any', id: 'a', input: `{"id":${ID}}` },
          { name: 'numeric', id: 'b', input: `{"id":${ID}}` },
          { name: 'numeric', id: 'c', input: '{"id":0.3333333333333333333}' },
        ],
      },
      { text: 'done' },
    ],
    tools: [
      taking('any', z.object({ id: jsonValue })),
      taking('numeric', z.object({ id: z.number() })),
    ],
  })
  const { session } = await agent.say('go')
  expect(given.map(String)).toEqual([ID, '0.3333333333333333'])
  const journal = JSON.stringify(only(await agent.journal(session), 'tool_outcome'))
  expect(journal).toContain(`"output":{"id":${ID}}`)
  expect(journal).toMatch(new RegExp(`id: ${ID} has more digits than a number keeps here`))
})
