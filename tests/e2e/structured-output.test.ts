/** Answers as JSON that fits a schema of the request: sent, checked, repaired once, or an error. */

import { createClient } from '@amodal/sdk/client'
import { contentText, reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    late: { type: 'array', items: { type: 'string' } },
    total: { type: 'number' },
  },
  required: ['late', 'total'],
  additionalProperties: false,
}
const GOOD = '{"late":["R-1"],"total":12345678901234567890}'

/** A server whose model gives these answers, one after the other, and keeps what it was asked. */
async function withAnswers(
  answers: readonly Reply[],
  work: (door: Door, requests: readonly ChatCompletionRequest[]) => Promise<void>,
): Promise<void> {
  const requests: ChatCompletionRequest[] = []
  await using door = await openDoor({
    script: (request) => {
      if (!request.tools) return reply.text('A title')
      return answers[requests.push(request) - 1] ?? reply.text('Hello.')
    },
  })
  await work(door, requests)
}

test('an answer that fits is the response, with its value', async () => {
  const fenced = reply.text(`\`\`\`json\n${GOOD}\n\`\`\``)
  await withAnswers([fenced], async (door, requests) => {
    const { status, text } = await door.say('Which are late?', { response_schema: SCHEMA })
    expect(status).toBe(200)
    expect(text).toContain(`"output":${GOOD}`)
    expect(JSON.parse(text)).toMatchObject({ response: GOOD, reason: 'model_stop' })
    expect(requests[0]).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { schema: SCHEMA } },
    })
    expect(contentText(requests[0]?.messages[0] ?? { role: 'system', content: '' })).toContain(
      'one JSON value that fits this JSON Schema',
    )
  })
})

test('tools come before it, and it holds for one message', async () => {
  const call = reply.toolCalls([{ name: 'recall', arguments: {} }])
  await withAnswers([call, reply.text(GOOD)], async (door, requests) => {
    const { body } = await door.say('Which are late?', { response_schema: SCHEMA })
    expect(body).toMatchObject({ response: GOOD, tool_calls: [{ tool_name: 'recall' }] })
    const next = await door.say('Thanks', { session_id: textIn(body, 'session_id') })
    expect(next.body).toMatchObject({ response: 'Hello.' })
    expect(next.body).not.toHaveProperty('output')
    expect(requests.at(-1)).not.toHaveProperty('response_format')
  })
})

test('one that does not fit is repaired once, with what is wrong; nobody gets the first', async () => {
  const wrong = reply.text('{"late":["R-1"],"total":"twelve"}', {
    usage: { promptTokens: 100, completionTokens: 10 },
  })
  const right = reply.text('{"late":[],"total":12}', {
    usage: { promptTokens: 120, completionTokens: 9 },
  })
  await withAnswers([wrong, right], async (door, requests) => {
    const events = await door.stream('Which are late?', { response_schema: SCHEMA })
    expect(JSON.stringify(events)).not.toContain('twelve')
    expect(events.filter(({ type }) => type === 'text_delta')).toMatchObject([
      { content: '{"late":[],"total":12}' },
    ])
    expect(events.at(-1)).toMatchObject({
      type: 'done',
      reason: 'model_stop',
      usage: { input_tokens: 220, output_tokens: 19 },
    })
    const repair = JSON.stringify(requests[1]?.messages.slice(-2))
    expect(repair).toContain('twelve')
    expect(repair).toContain('answer.total: Invalid input: expected number, received string')
  })
})

test('one that still does not fit ends the turn with an error that names the place', async () => {
  const wrong = reply.text('{"late":["R-1", 7],"total":12}')
  await withAnswers([wrong, wrong], async (door, requests) => {
    const { status, body } = await door.say('Which are late?', { response_schema: SCHEMA })
    expect(status).toBe(502)
    expect(body).toMatchObject({
      error: {
        code: 'RESPONSE_MISMATCH',
        message: expect.stringContaining('answer.late[1]') as string,
      },
      reason: 'error',
    })
    expect(body).not.toHaveProperty('output')
    expect(requests).toHaveLength(2)
  })
})

test('one that was cut off says so, and is not asked for again', async () => {
  const cut = reply.text('{"late":["R-', { finishReason: 'length' })
  await withAnswers([cut], async (door, requests) => {
    const { body } = await door.say('Which are late?', { response_schema: SCHEMA })
    expect(requests).toHaveLength(1)
    expect(body).not.toHaveProperty('output')
    expect(JSON.stringify(body)).toMatch(/cut|length|incomplete|RESPONSE_MISMATCH/)
  })
})

test('a schema that cannot be used is refused before anything is stored', async () => {
  await withAnswers([], async (door, requests) => {
    for (const schema of [{ type: 'strange' }, { $ref: 'https://example.com/x' }, 'text', []]) {
      const { status, body } = await door.say('Hello', { response_schema: schema })
      expect({ status, body }).toMatchObject({
        status: 400,
        body: {
          error: {
            code: 'VALIDATION_ERROR',
            message: expect.stringContaining('response_schema') as string,
          },
        },
      })
    }
    expect(requests).toHaveLength(0)
    expect((await door.get('/sessions')).body['sessions']).toEqual([])
  })
})

test('the client asks for it with a message', async () => {
  await withAnswers([reply.text(GOOD)], async (door) => {
    const client = createClient({
      url: door.url,
      headers: { authorization: `Bearer ${door.token}` },
    })
    let text = ''
    for await (const event of client.send({ text: 'Which are late?', responseSchema: SCHEMA }))
      if (event.type === 'text_delta') text += event.content
    expect(text).toBe(GOOD)
  })
})
