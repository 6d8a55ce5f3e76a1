import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  uiMessageChunkSchema,
  type ChatState,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { script, serving, type Serving } from './serving.ts'

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

/** What `useChat` keeps its state in, without React. */
class Chat extends AbstractChat<UIMessage> {
  readonly chunks: UIMessageChunk[]
  readonly errors: Error[]
  readonly datas: unknown[]

  constructor(served: Serving, id: string, messages: UIMessage[] = []) {
    const chunks: UIMessageChunk[] = []
    const errors: Error[] = []
    const datas: unknown[] = []
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages,
      pushMessage: (message) => {
        state.messages = [...state.messages, message]
      },
      popMessage: () => {
        state.messages = state.messages.slice(0, -1)
      },
      replaceMessage: (index, message) => {
        state.messages = state.messages.with(index, message)
      },
      snapshot: (thing) => structuredClone(thing),
    }
    super({
      id,
      state,
      transport: new Watched(served, chunks),
      onError: (error) => errors.push(error),
      onData: (part) => datas.push(part),
      sendAutomaticallyWhen: ({ messages: all }) =>
        lastAssistantMessageIsCompleteWithApprovalResponses({ messages: all }) ||
        lastAssistantMessageIsCompleteWithToolCalls({ messages: all }),
    })
    this.chunks = chunks
    this.errors = errors
    this.datas = datas
  }

  get reply(): UIMessage {
    const found = this.lastMessage
    if (found?.role !== 'assistant') throw new Error('there is no reply')
    return found
  }

  get text(): string {
    return this.reply.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  }

  /** The newest part of a tool. */
  tool(name: string): Record<string, unknown> {
    const found = this.reply.parts.findLast(({ type }) => type === `tool-${name}`)
    if (!found) throw new Error(`there is no part of ${name}`)
    return { ...found }
  }

  async untilText(text: string): Promise<void> {
    while (this.lastMessage?.role !== 'assistant' || !this.text.includes(text))
      await new Promise((resolve) => setTimeout(resolve, 5))
  }

  /** Until nothing is sent any more, and `done` says so. */
  async until(done: () => boolean): Promise<void> {
    while (this.status === 'streaming' || this.status === 'submitted' || !done())
      await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** The transport as it is; each chunk is checked, and kept. */
class Watched extends DefaultChatTransport<UIMessage> {
  readonly #chunks: UIMessageChunk[]

  constructor(served: Serving, chunks: UIMessageChunk[]) {
    super({ api: `${served.url}/chat/ai-stream`, headers: served.headers })
    this.#chunks = chunks
  }

  protected override processResponseStream(
    stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  ): ReadableStream<UIMessageChunk> {
    const chunks = this.#chunks
    return super.processResponseStream(stream).pipeThrough(
      new TransformStream<UIMessageChunk, UIMessageChunk>({
        async transform(chunk, controller) {
          const checked = await uiMessageChunkSchema().validate?.(chunk)
          if (checked && !checked.success) throw checked.error
          chunks.push(chunk)
          controller.enqueue(chunk)
        },
      }),
    )
  }
}

/** The kinds of chunks in their order; several of a kind in a row count as one. */
const typesOf = ({ chunks }: Chat): readonly string[] =>
  chunks.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])

let served: Serving
let id = ''
beforeAll(async () => {
  served = await serving(script)
})
beforeEach(({ task }) => {
  id = `chat of ${task.id}`
  served.paid.length = 0
})
afterAll(() => served.close())

describe('a chat of the AI SDK', () => {
  test('streams text in one step, with its session and usage as metadata', async () => {
    const chat = new Chat(served, id)
    await chat.sendMessage({ text: 'hi' })
    expect(chat.errors).toEqual([])
    expect(typesOf(chat)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ])
    expect(chat.text).toBe('Hello.')
    expect(chat.reply.metadata).toMatchObject({
      session_id: expect.stringMatching(/^sess_/),
      reason: 'model_stop',
      usage: { total_tokens: expect.any(Number) },
    })

    await chat.sendMessage({ text: 'again' })
    expect(
      served.model.requests.at(-1)?.body.messages.filter(({ role }) => role === 'user'),
    ).toHaveLength(2)
    expect(chat.messages).toHaveLength(4)
  })

  test('has the parts of a tool, with secrets withheld, and a step for what follows', async () => {
    const chat = new Chat(served, id)
    await chat.sendMessage({ text: 'the price' })
    expect(chat.errors).toEqual([])
    expect(chat.tool('price')).toMatchObject({
      state: 'output-available',
      input: { amount: 7, api_key: '[REDACTED]' },
      output: { amount: 7, currency: 'EUR' },
      providerExecuted: true,
    })
    expect(chat.reply.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'tool-price',
      'step-start',
      'text',
    ])
  })

  test('asks for an approval, and goes on in the same message once it is given', async () => {
    const chat = new Chat(served, id)
    await chat.sendMessage({ text: 'pay' })
    expect(chat.tool('pay')).toMatchObject({
      state: 'approval-requested',
      approval: { id: expect.any(String), descriptor: { params: { amount: 48 } } },
    })
    expect(served.paid).toEqual([])
    await chat.addToolApprovalResponse({ id: approvalOf(chat), approved: true })
    await chat.until(() => chat.text !== '')
    expect(chat.errors).toEqual([])
    expect(served.paid).toEqual([48])
    expect(chat.tool('pay')).toMatchObject({
      state: 'output-available',
      output: { amount: 48 },
      approval: { approved: true },
    })
    expect(chat.text).toBe('All done.')
    expect(chat.messages).toHaveLength(2)
  })

  test('takes a no, with its reason', async () => {
    const chat = new Chat(served, id)
    await chat.sendMessage({ text: 'pay' })
    await chat.addToolApprovalResponse({
      id: approvalOf(chat),
      approved: false,
      reason: 'too much',
    })
    await chat.until(() => chat.text !== '')
    expect(chat.errors).toEqual([])
    expect(served.paid).toEqual([])
    expect(chat.tool('pay')).toMatchObject({ state: 'output-denied' })
    expect(JSON.stringify(served.model.requests.at(-1)?.body.messages)).toContain('too much')
  })

  test('two approvals of one step are asked at once and sent together', async () => {
    const chat = new Chat(served, id)
    await chat.sendMessage({ text: 'pay twice' })
    const asked = chat.reply.parts.flatMap((part) =>
      'approval' in part && part.approval ? [part.approval.id] : [],
    )
    expect(asked).toHaveLength(2)
    for (const [at, ask] of asked.entries())
      await chat.addToolApprovalResponse({ id: ask, approved: at === 1 })
    await chat.until(() => chat.text !== '')
    expect(chat.errors).toEqual([])
    expect(served.paid).toEqual([2])
  })

  test('a question is answered with the output of its call', async () => {
    const chat = new Chat(served, id)
    await chat.sendMessage({ text: 'ask me' })
    expect(chat.tool('ask_user')).toMatchObject({
      state: 'input-available',
      input: { question: 'Which region?' },
      providerExecuted: false,
    })
    expect(chat.reply.parts).toContainEqual(
      expect.objectContaining({
        type: 'data-question',
        data: expect.objectContaining({
          type: 'question',
          tool_call_id: chat.tool('ask_user')['toolCallId'],
        }),
      }),
    )
    await chat.addToolOutput({
      tool: 'ask_user',
      toolCallId: String(chat.tool('ask_user')['toolCallId']),
      output: 'Asia',
    })
    await chat.until(() => chat.text !== '')
    expect(chat.errors).toEqual([])
    expect(JSON.stringify(served.model.requests.at(-1)?.body.messages)).toContain('Asia')
  })

  test('a question is answered with data in a message, too', async () => {
    const chat = new Chat(served, id)
    await chat.sendMessage({ text: 'ask me' })
    const question = chat.reply.parts.find(({ type }) => type === 'data-question')
    const asked = question && 'id' in question ? question.id : ''
    await chat.sendMessage({
      parts: [{ type: 'data-answer', data: { id: asked, response: 'Europe' } }],
    })
    expect(chat.errors).toEqual([])
    expect(JSON.stringify(served.model.requests.at(-1)?.body.messages)).toContain('Europe')
  })

  test('shows widgets as data, and pictures are sent on', async () => {
    const chat = new Chat(served, id)
    const url = `data:image/png;base64,${PNG}`
    await chat.sendMessage({
      text: 'show me',
      files: [{ type: 'file', mediaType: 'image/png', url }],
    })
    expect(chat.errors).toEqual([])
    expect(chat.reply.parts).toContainEqual(
      expect.objectContaining({
        type: 'data-widget',
        data: expect.objectContaining({ widget_type: 'data-table' }),
      }),
    )
    expect(JSON.stringify(served.model.requests.at(-2)?.body.messages)).toContain(PNG)
    await chat.sendMessage({
      text: 'and this',
      files: [{ type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' }],
    })
    expect(chat.error?.message).toContain('nothing is fetched')
  })

  test('an error breaks off with its code, and stands in the metadata', async () => {
    const chat = new Chat(served, id)
    await chat.sendMessage({ text: 'break' })
    expect(chat.status).toBe('error')
    expect(chat.error?.message).toMatch(/^MODEL_[A-Z_]+: /)
    expect(chat.reply.metadata).toMatchObject({
      reason: 'error',
      error: { code: expect.stringMatching(/^MODEL_/) },
    })
  })
})

describe('a stream of the AI SDK', () => {
  test('that was left goes on from its beginning in the same message; an idle chat has none', async () => {
    const chat = new Chat(served, id)
    const sending = chat.sendMessage({ text: 'slowly' })
    await chat.untilText('One ')
    await chat.stop()
    await sending
    const message = chat.reply.id
    const loaded = await (await served.get(`/chat/ai-stream/${encodeURIComponent(id)}`)).json()
    expect(loaded.messages).toEqual([
      expect.objectContaining({ role: 'user', id: chat.messages[0]?.id }),
    ])
    await chat.resumeStream()
    expect(chat.errors).toEqual([])
    expect(chat.text).toBe('One two three')
    expect(chat.messages).toHaveLength(2)
    expect(chat.reply.id).toBe(message)
    const idle = await served.get(`/chat/ai-stream/${encodeURIComponent(id)}/stream`)
    expect(idle.status).toBe(204)
    expect((await served.get('/chat/ai-stream/never-seen/stream')).status).toBe(204)
  })

  test('is shown again while its run waits, with what it waits for', async () => {
    await new Chat(served, id).sendMessage({ text: 'pay' })
    const other = new Chat(served, id)
    await other.resumeStream()
    expect(other.errors).toEqual([])
    expect(other.tool('pay')).toMatchObject({ state: 'approval-requested' })
    await other.addToolApprovalResponse({ id: approvalOf(other), approved: true })
    await other.until(() => other.text !== '')
    expect(served.paid).toEqual([48])
  })

  test('ends its run only where it is stopped', async () => {
    const chat = new Chat(served, id)
    const sending = chat.sendMessage({ text: 'forever' })
    await chat.untilText('then ')
    const stopped = await served.post(`/chat/ai-stream/${encodeURIComponent(id)}/stop`, {})
    expect(await stopped.json()).toEqual({ ok: true, active: true })
    await sending
    expect(typesOf(chat).slice(-3)).toEqual(['abort', 'finish-step', 'finish'])
    expect(chat.reply.metadata).toMatchObject({ reason: 'user_abort' })
  })
})

describe('the session of a chat', () => {
  test('is one of every wire: begun in chat, gone on with here, and the other way round', async () => {
    const first = await (await served.post('/chat/sync', { message: 'hi' })).json()
    const chat = new Chat(served, first.session_id)
    await chat.sendMessage({ text: 'and again' })
    expect(chat.errors).toEqual([])
    const then = await served.post('/chat/sync', { message: 'last', session_id: first.session_id })
    expect(then.status).toBe(200)
    expect(
      served.model.requests.at(-1)?.body.messages.filter(({ role }) => role === 'user'),
    ).toHaveLength(3)
  })

  test('an approval that was answered elsewhere is answered once', async () => {
    const chat = new Chat(served, id)
    await chat.sendMessage({ text: 'pay' })
    const { session_id } = Object(chat.reply.metadata)
    const answered = await served.post('/ask-user-response', {
      session_id,
      id: approvalOf(chat),
      approved: true,
    })
    expect(answered.status).toBe(200)
    await chat.addToolApprovalResponse({ id: approvalOf(chat), approved: false })
    await chat.until(() => chat.status === 'error')
    expect(chat.error?.message).toMatch(/ASK_NOT_FOUND|ASK_SETTLED/)
    while (served.paid.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(served.paid).toEqual([48])
  })

  test('an approval that chat asked for is answered here', async () => {
    const asked = await (await served.post('/chat/sync', { message: 'pay' })).json()
    const chat = new Chat(served, asked.session_id)
    await chat.resumeStream()
    await chat.addToolApprovalResponse({ id: approvalOf(chat), approved: true })
    await chat.until(() => chat.text !== '')
    expect(served.paid).toEqual([48])
  })

  test('a reply that is made again takes the place of the old one', async () => {
    const chat = new Chat(served, id)
    await chat.sendMessage({ text: 'one' })
    await chat.sendMessage({ text: 'two' })
    await chat.regenerate()
    expect(chat.errors).toEqual([])
    expect(chat.messages).toHaveLength(4)
    const sent = served.model.requests.at(-1)?.body.messages.filter(({ role }) => role === 'user')
    expect(sent).toHaveLength(2)
    await chat.sendMessage({ text: 'edited', messageId: chat.messages[0]?.id ?? '' })
    expect(chat.messages).toHaveLength(2)
    await chat.sendMessage({ text: 'three' })
    expect(JSON.stringify(served.model.requests.at(-1)?.body.messages)).not.toContain('two')
    const loaded = await (await served.get(`/chat/ai-stream/${encodeURIComponent(id)}`)).json()
    const shown: readonly UIMessage[] = loaded.messages
    expect(shown.map((message) => [message.role, message.id])).toEqual(
      chat.messages.map(({ role, id }) => [role, id]),
    )
  })

  test('is loaded as the messages that were streamed', async () => {
    const chat = new Chat(served, id)
    await chat.sendMessage({ text: 'the price' })
    await chat.sendMessage({ text: 'pay' })
    await chat.addToolApprovalResponse({ id: approvalOf(chat), approved: false })
    await chat.until(() => chat.text !== '')
    const { messages } = await (
      await served.get(`/chat/ai-stream/${encodeURIComponent(id)}`)
    ).json()
    const shape = (all: readonly UIMessage[]): unknown =>
      all.map(({ id, role, parts }) => [
        id,
        role,
        parts.map((part) => [
          part.type,
          'state' in part ? part.state : '',
          'input' in part ? part.input : '',
        ]),
      ])
    const replies = (all: readonly UIMessage[]): readonly UIMessage[] =>
      all.filter(({ role }) => role === 'assistant')
    expect(shape(replies(messages))).toEqual(shape(replies(chat.messages)))
  })
})

function approvalOf(chat: Chat): string {
  return String(Object(chat.tool('pay')['approval']).id)
}
