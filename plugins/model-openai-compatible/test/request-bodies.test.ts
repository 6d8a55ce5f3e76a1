import { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { RequestBodies } from '../src/request-bodies.ts'

const sdk = new OpenAICompatibleChatLanguageModel('m', {
  provider: 'p.chat',
  url: () => 'http://127.0.0.1:1',
  headers: () => ({}),
})
const fields = { stream: true }

/** Bodies as they are made here, and how many messages were converted for each. */
function bodies(): {
  make(
    call: LanguageModelV4CallOptions,
  ): Promise<{ readonly sent: unknown; readonly converted: number }>
} {
  let converted = 0
  const made = new RequestBodies((call) => {
    converted = call.prompt.length
    return sdk.prepareRequest(call)
  })
  return {
    make: async (call) => ({
      sent: JSON.parse((await made.make(call)).text(fields)) as unknown,
      converted,
    }),
  }
}

/** What the SDK itself would send. */
async function wanted(call: LanguageModelV4CallOptions): Promise<unknown> {
  const { body } = await sdk.prepareRequest(call)
  return JSON.parse(JSON.stringify({ ...body, ...fields }))
}

const system = (content = 'Be brief.'): LanguageModelV4Message => ({ role: 'system', content })
const user = (text: string): LanguageModelV4Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
})
const assistant = (text: string): LanguageModelV4Message => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
})
const image: LanguageModelV4Message = {
  role: 'user',
  content: [
    { type: 'text', text: 'See “this”:' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
  ],
}
const called: LanguageModelV4Message = {
  role: 'assistant',
  content: [
    { type: 'text', text: '' },
    ...['a', 'b'].map((id) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: 'look',
      input: { id },
    })),
  ],
}
const answered: LanguageModelV4Message = {
  role: 'tool',
  content: ['a', 'b'].map((id) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: 'look',
    output: { type: 'json', value: { id, found: '\u2028"' } },
  })),
}
const tools: LanguageModelV4CallOptions['tools'] = [
  {
    type: 'function',
    name: 'look',
    description: 'Looks',
    inputSchema: { type: 'object', properties: {} },
  },
]

/** Long enough to be remembered. */
const long = Array.from({ length: 40 }, (_, n) => [
  user(`${n} ${'ü'.repeat(200)}`),
  assistant(`${n} ${'x'.repeat(200)}`),
]).flat()

describe('a conversation that grows', () => {
  test('is sent as the SDK sends it, and only what is new is converted', async () => {
    const { make } = bodies()
    const calls = [
      [...long, user('one')],
      [...long, user('one'), called, answered],
      [...long, user('one'), called, answered, assistant('done'), image],
    ]
    const messages: LanguageModelV4Message[] = []
    const counts: number[] = []
    for (const list of calls) {
      messages.push(...list.slice(messages.length)) // the objects of a history stay the same ones
      const call = { prompt: [system(), ...messages], tools, temperature: 0.5 }
      const { sent, converted } = await make(call)
      expect(sent).toEqual(await wanted(call))
      counts.push(converted)
    }
    expect(counts).toEqual([long.length + 2, 3, 3])
  })

  test('is the same text when it is sent once more, and follows the prompt of the system', async () => {
    const { make } = bodies()
    await make({ prompt: [system(), ...long] })
    for (const prompt of [
      [system(), ...long],
      [system('Be long.'), system('Really.'), ...long],
      long,
    ]) {
      const { sent, converted } = await make({ prompt })
      expect(sent).toEqual(await wanted({ prompt }))
      expect(converted).toBe(prompt.length - long.length)
    }
  })
})

describe('a conversation that is not what it was', () => {
  test.each<[string, readonly LanguageModelV4Message[]]>([
    ['a message in its middle was replaced', long.with(7, user('[hidden]'))],
    ['its beginning was dropped', long.slice(10)],
    ['its end was taken back', long.slice(0, -2)],
    ['another stands before it', [user('Summary'), ...long]],
    [
      'it has a word of the system inside',
      [...long.slice(0, 5), system('Mind.'), ...long.slice(5)],
    ],
    ['nothing is left of it', []],
  ])('is sent as it is now: %s', async (_, now) => {
    const { make } = bodies()
    await make({ prompt: [system(), ...long] })
    const call = { prompt: [system(), ...now] }
    expect((await make(call)).sent).toEqual(await wanted(call))
    expect((await make(call)).sent).toEqual(await wanted(call))
  })

  test('options of a provider count for all of its messages', async () => {
    const { make } = bodies()
    const signed: LanguageModelV4Message = {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId: 'c',
          toolName: 'look',
          input: {},
          providerOptions: {
            p: { thoughtSignature: 'mine' },
            google: { thoughtSignature: 'other' },
          },
        },
      ],
    }
    const prompt = [...long, signed]
    for (const call of [
      { prompt },
      { prompt, providerOptions: { p: { user: 'u' } } },
      { prompt },
    ]) {
      expect((await make(call)).sent).toEqual(await wanted(call))
    }
  })
})
