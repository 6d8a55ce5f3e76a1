/**
 * What clients of every kind send as an answer, and what they read again later: through the
 * server's own door.
 */
import { createClient, type ClientEvent, type AnswerInput } from '@amodal/sdk/client'
import { use, type Json, type JsonObject } from '@amodal/sdk'
import { contentText, reply } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import { pay } from '../security/support/pay.ts'

/**
 * Calls the tool that the message names with the arguments that it gives; says then what came of
 * it.
 */
async function open(): Promise<Door> {
  const door = await openDoor({
    entries: [use(pay('confirm').plugin)],
    script({ messages }) {
      const last = messages.at(-1)
      if (last?.role !== 'user') return reply.text(`It says ${contentText(last)}`)
      // written below
      const { name, ...args } = JSON.parse(contentText(last)) as { readonly name: string }
      return reply.toolCalls({ name, arguments: args })
    },
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}
const call = (name: string, args: JsonObject): string => JSON.stringify({ name, ...args })
const options = [
  { label: 'Europe', value: 'eu' },
  { label: 'Asia', value: 'ap' },
]

/** Sends an answer as it stands, and gives what the model is told of it. */
async function answered(
  door: Door,
  asked: JsonObject,
  body: (id: string) => JsonObject,
): Promise<Json> {
  const { body: said } = await door.say(call('ask_user', asked))
  const [pending] = said['pending_input'] as unknown as readonly [JsonObject] // of a 202
  const session = textIn(said, 'session_id')
  const taken = await door.answer({ session_id: session, ...body(textIn(pending, 'id')) })
  expect([taken.status, taken.body]).toEqual([200, { ok: true, settled: [textIn(pending, 'id')] }])
  await expect.poll(async () => (await door.get(`/sessions/${session}`)).text).toContain('It says ')
  const { body: details } = await door.get(`/sessions/${session}`)
  const messages = details['messages'] as unknown as readonly JsonObject[] // the history
  return textIn(messages.at(-1), 'text').replace('It says ', '')
}

describe('a question is answered in the words of any client', { timeout: 60_000 }, () => {
  test.each<readonly [string, JsonObject, JsonObject, string]>([
    ['a text', { question: 'Why?' }, { response: 'Because' }, 'Because'],
    ['a text, by any id', { question: 'Why?' }, { answers: { whatever: 'Because' } }, 'Because'],
    ['a choice by its value', { question: 'Where?', options }, { response: 'eu' }, 'eu'],
    ['a choice by its label', { question: 'Where?', options }, { response: 'europe' }, 'eu'],
    ['a choice by any id', { question: 'Where?', options }, { answers: { q1: 'ap' } }, 'ap'],
    ['a yes', { question: 'Sure?', type: 'boolean' }, { response: 'Yes' }, '{"response":true}'],
    [
      'a no',
      { question: 'Sure?', type: 'boolean' },
      { answers: { q1: 'no' } },
      '{"response":false}',
    ],
    [
      'a no as a value',
      { question: 'Sure?', type: 'boolean' },
      { response: false },
      '{"response":false}',
    ],
    [
      'a yes to options in words',
      { question: 'Sure?', options: ['Yes', 'No'] },
      { response: 'yes' },
      'Yes',
    ],
    [
      'several of some',
      { question: 'Where?', type: 'multi', options },
      { response: ['eu', 'Asia'] },
      '{"response":["eu","ap"]}',
    ],
    [
      'one of some',
      { question: 'Where?', type: 'multi', options },
      { response: 'eu' },
      '{"response":["eu"]}',
    ],
    [
      'several questions',
      {
        questions: [
          { text: 'Where?', options },
          { text: 'Now?', type: 'boolean' },
        ],
      },
      { answers: { q1: 'Europe', q2: 'yes' } },
      '{"answers":{"q1":"eu","q2":true}}',
    ],
    [
      'several questions in their order',
      {
        questions: [
          { text: 'Where?', options },
          { text: 'Now?', type: 'boolean' },
        ],
      },
      { answers: ['ap', 'n'] },
      '{"answers":{"q1":"ap","q2":false}}',
    ],
    [
      'one question in a list',
      { questions: [{ text: 'Why?' }] },
      { response: 'Because' },
      '{"answers":{"q1":"Because"}}',
    ],
  ])('%s', async (_name, asked, given, outcome) => {
    const door = await open()
    expect(await answered(door, asked, (id) => ({ id, ...given }))).toBe(outcome)
  })

  test('what does not fit is refused, with the schema of what would', async () => {
    const door = await open()
    const { body: said } = await door.say(call('ask_user', { question: 'Sure?', type: 'boolean' }))
    const [pending] = said['pending_input'] as unknown as readonly [JsonObject] // of a 202
    const refused = await door.answer({
      session_id: textIn(said, 'session_id'),
      id: textIn(pending, 'id'),
      response: 'perhaps',
    })
    expect([refused.status, refused.body]).toMatchObject([
      400,
      {
        error: {
          code: 'ANSWER_INVALID',
          message: expect.stringContaining('must be true or false'),
        },
      },
    ])
  })
})

describe('the client of the sdk', { timeout: 60_000 }, () => {
  /** Sends a message, answers what is asked while the stream is open, and reads it to its end. */
  async function talk(
    door: Door,
    text: string,
    answer: (event: ClientEvent) => AnswerInput | undefined,
  ): Promise<readonly ClientEvent[]> {
    const client = createClient({ url: door.url, credential: door.token })
    const events: ClientEvent[] = []
    for await (const event of client.send({ text })) {
      events.push(event)
      const given = answer(event)
      if (given)
        await client.answer(events.find((event) => event.type === 'init')?.session_id ?? '', given)
    }
    return events
  }

  test('goes on by itself with a stream in which an approval is given', async () => {
    const door = await open()
    const events = await talk(door, call('pay', { amount: 48 }), (event) =>
      event.type === 'confirmation_required' ? { id: event.id, approved: true } : undefined,
    )
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['confirmation_required', 'approved', 'tool_call_result', 'done']),
    )
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })

    const session = events.find((event) => event.type === 'init')?.session_id ?? ''
    const { messages } = await createClient({ url: door.url, credential: door.token }).session(
      session,
    )
    expect(messages.flatMap(({ toolCalls = [] }) => toolCalls)).toMatchObject([
      { toolName: 'pay', parameters: { amount: 48 }, status: 'success', result: { paid: 48 } },
    ])
  })

  test('is asked a single choice, and answers it', async () => {
    const door = await open()
    const events = await talk(door, call('ask_user', { question: 'Where?', options }), (event) =>
      event.type === 'ask_choice'
        ? { id: event.ask_id, response: event.options[1]?.value ?? '' }
        : undefined,
    )
    expect(events.filter(({ type }) => type === 'ask_choice' || type === 'ask_user')).toMatchObject(
      [{ type: 'ask_choice', question: 'Where?', options }],
    )
    expect(events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('')).toBe(
      'It says ap',
    )
  })

  test('reads the arguments of a call that waits, also of a session that is loaded anew', async () => {
    const door = await open()
    const { body: said } = await door.say(call('pay', { amount: 48 }))
    const { messages, pending_input: pending } = await createClient({
      url: door.url,
      credential: door.token,
    }).session(textIn(said, 'session_id'))
    expect(messages.at(-1)?.toolCalls).toMatchObject([
      { toolName: 'pay', parameters: { amount: 48 } },
    ])
    expect(pending).toMatchObject([
      {
        pending_input_type: 'approval',
        tool_id: messages.at(-1)?.toolCalls?.[0]?.toolId,
        pending_input_context: { params: { amount: 48 } },
      },
    ])
  })
})
