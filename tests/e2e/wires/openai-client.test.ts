/** The client of OpenAI in front of a server of the preset: the example, and formats of answers. */

import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { contentText, reply, type Script } from '@amodal/sdk/testing'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { conversation } from '../../../examples/openai-client/src/conversation.ts'
import { openDoor, type Door } from '../../security/support/door.ts'

const EXAMPLE = join(import.meta.dirname, '../../../examples/openai-client/agent')

const clientOf = (door: Door): OpenAI =>
  new OpenAI({ baseURL: `${door.url}/v1`, apiKey: door.token, maxRetries: 0 })

/** Looks into the store, and answers as JSON where the request asks for it. */
const model: Script = ({ messages, tools, response_format: format }) => {
  const last = messages.at(-1)
  if (!tools) return reply.text('Incidents')
  if (last?.role === 'user' && contentText(last).includes('incidents'))
    return reply.toolCalls([
      { name: 'query_store', arguments: { store: 'incidents', filter: { status: 'open' } } },
    ])
  const found = [...new Set((last ? contentText(last) : '').match(/INC-\d/g))]
  if (format) return reply.text(JSON.stringify({ open: found.length, ids: found }))
  return reply.text(last?.role === 'tool' ? `Open: ${found.join(', ')}.` : 'Since yesterday.')
}

test('the example streams, goes on, and gets JSON that fits', async () => {
  await using door = await openDoor({ script: model })
  await cp(EXAMPLE, door.dir, { recursive: true, filter: (path) => !path.endsWith('amodal.json') })
  await door.restart()
  let streamed = ''
  const { followUp, summary } = await conversation(clientOf(door), 'door', (text) => {
    streamed += text
  })
  expect(streamed).toBe('Open: INC-1.')
  expect(followUp).toBe('Since yesterday.')
  expect(summary).toEqual({ open: 1, ids: ['INC-1'] })
})

const FORMAT = { name: 'sum', schema: { type: 'object', properties: { sum: { type: 'integer' } } } }

test('both interfaces check, repair once, and fail with the place', async () => {
  const answers = ['{"sum":"two"}', '{"sum":2}', '{"sum":"two"}', '{"sum":"two"}']
  await using door = await openDoor({
    script: ({ tools }) => reply.text(tools ? (answers.shift() ?? '{"sum":3}') : 'A title'),
  })
  const client = clientOf(door)
  const response = await client.responses.parse({
    model: 'door',
    input: 'What is 1 + 1?',
    text: { format: { type: 'json_schema', ...FORMAT } },
  })
  expect(response.output_text).toBe('{"sum":2}')
  const messages = [{ role: 'user' as const, content: 'What is 1 + 1?' }]
  await expect(
    client.chat.completions.create({
      model: 'door',
      messages,
      response_format: { type: 'json_schema', json_schema: FORMAT },
    }),
  ).rejects.toMatchObject({
    code: 'RESPONSE_MISMATCH',
    message: expect.stringContaining('answer.sum') as string,
  })
  const any = client.chat.completions.stream({
    model: 'door',
    messages,
    response_format: { type: 'json_object' },
  })
  expect((await any.finalChatCompletion()).choices[0]?.message.content).toBe('{"sum":3}')
  await expect(
    client.chat.completions.create({
      model: 'door',
      messages,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'odd', schema: { type: 'strange' } },
      },
    }),
  ).rejects.toMatchObject({ status: 400, param: 'response_format' })
})
