import { HttpAgent, type RunAgentParameters } from '@ag-ui/client'
import { EventType, type BaseEvent, type Interrupt, type Message } from '@ag-ui/core'
import { EventSchemas } from '@ag-ui/core/schemas'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { script, serving, type Serving } from './serving.ts'

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

let served: Serving
let thread = ''
beforeAll(async () => {
  served = await serving(script)
})
beforeEach(({ task }) => {
  thread = `thread of ${task.id}`
  served.paid.length = 0
})
afterAll(() => served.close())

/** The official client, and what it has heard. It verifies the order of events itself. */
class Heard {
  readonly agent: HttpAgent
  events: BaseEvent[] = []

  constructor(threadId: string) {
    this.agent = new HttpAgent({ url: `${served.url}/ag-ui`, headers: served.headers, threadId })
  }

  /** @returns why it failed */
  async run(text?: string, parameters: RunAgentParameters = {}): Promise<string | undefined> {
    if (text !== undefined)
      this.agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: text })
    this.events = []
    try {
      await this.agent.runAgent(parameters, {
        onEvent: ({ event }) => {
          EventSchemas.parse(event)
          this.events.push(event)
        },
      })
      return undefined
    } catch (cause) {
      return String(cause)
    }
  }

  resume(answer: (interrupt: Interrupt) => unknown): Promise<string | undefined> {
    return this.run(undefined, {
      resume: this.agent.pendingInterrupts.map((one) => {
        const payload = answer(one)
        return payload === undefined
          ? { interruptId: one.id, status: 'cancelled' as const }
          : { interruptId: one.id, status: 'resolved' as const, payload }
      }),
    })
  }

  get types(): readonly string[] {
    return this.events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])
  }

  find(type: EventType): BaseEvent | undefined {
    return this.events.find((event) => event.type === type)
  }

  get texts(): readonly string[] {
    return this.agent.messages.flatMap((message) =>
      message.role === 'assistant' && message.content ? [message.content] : [],
    )
  }
}

const sentTexts = (): readonly unknown[] =>
  (served.model.requests.at(-1)?.body.messages ?? [])
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content)

describe('a run of AG-UI', () => {
  test('streams text in a step, with the state first and last', async () => {
    const heard = new Heard(thread)
    expect(await heard.run('hi')).toBeUndefined()
    expect(heard.types).toEqual([
      'RUN_STARTED',
      'STATE_SNAPSHOT',
      'STEP_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'STATE_SNAPSHOT',
      'RUN_FINISHED',
    ])
    expect(heard.find(EventType.RUN_FINISHED)).toMatchObject({
      outcome: { type: 'success' },
      usage: [{ totalTokens: expect.any(Number) }],
      result: { session_id: expect.stringMatching(/^sess_/), reason: 'model_stop' },
    })
    expect(heard.texts).toEqual(['Hello.'])
    expect(await heard.run('again')).toBeUndefined()
    expect(sentTexts()).toHaveLength(2)
    expect(heard.find(EventType.MESSAGES_SNAPSHOT)).toBeUndefined()
  })

  test('tells calls with their results, and withholds secrets', async () => {
    const heard = new Heard(thread)
    expect(await heard.run('the price')).toBeUndefined()
    expect(heard.types).toEqual([
      'RUN_STARTED',
      'STATE_SNAPSHOT',
      'STEP_STARTED',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'TOOL_CALL_RESULT',
      'STEP_FINISHED',
      'STEP_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'STATE_SNAPSHOT',
      'RUN_FINISHED',
    ])
    expect(heard.find(EventType.TOOL_CALL_ARGS)?.['delta']).toBe(
      '{"amount":7,"api_key":"[REDACTED]"}',
    )
    expect(heard.agent.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
  })

  test('is interrupted by approvals, and resumed by their answers', async () => {
    const heard = new Heard(thread)
    expect(await heard.run('pay twice')).toBeUndefined()
    expect(heard.find(EventType.RUN_FINISHED)).toMatchObject({
      outcome: {
        type: 'interrupt',
        interrupts: [
          { reason: 'tool_approval', toolCallId: expect.any(String) },
          { reason: 'tool_approval', responseSchema: expect.any(Object) },
        ],
      },
    })
    expect(served.paid).toEqual([])
    const [, second] = heard.agent.pendingInterrupts
    expect(
      await heard.resume(({ id }) => (id === second?.id ? { approved: true } : undefined)),
    ).toBeUndefined()
    expect(served.paid).toEqual([2])
    expect(heard.texts).toEqual(['All done.'])
    expect(heard.agent.pendingInterrupts).toEqual([])
  })

  test('asks a question as an interrupt; its value alone is an answer', async () => {
    const heard = new Heard(thread)
    expect(await heard.run('ask me')).toBeUndefined()
    const [question] = heard.agent.pendingInterrupts
    expect(question).toMatchObject({ reason: 'input_required', message: 'Which region?' })
    expect(await heard.resume(() => 'Asia')).toBeUndefined()
    expect(JSON.stringify(served.model.requests.at(-1)?.body.messages)).toContain('Asia')
  })

  test('a question that is given up ends its run', async () => {
    const heard = new Heard(thread)
    await heard.run('ask me')
    expect(await heard.resume(() => undefined)).toBeUndefined()
    expect(heard.find(EventType.RUN_FINISHED)).toMatchObject({ outcome: { type: 'cancelled' } })
  })

  test('a widget is an activity, and pictures are sent on', async () => {
    const heard = new Heard(thread)
    heard.agent.addMessage({
      id: 'm1',
      role: 'user',
      content: [
        { type: 'text', text: 'show me' },
        { type: 'image', source: { type: 'data', value: PNG, mimeType: 'image/png' } },
      ],
    })
    expect(await heard.run()).toBeUndefined()
    expect(heard.find(EventType.ACTIVITY_SNAPSHOT)).toMatchObject({ activityType: 'data-table' })
    expect(JSON.stringify(served.model.requests.at(-1)?.body.messages)).toContain(PNG)
  })

  test('tools of the client are not offered, which is said', async () => {
    const heard = new Heard(thread)
    const tools = [{ name: 'zoom', description: 'Zooms the map', parameters: {} }]
    expect(await heard.run('hi', { tools })).toBeUndefined()
    expect(heard.find(EventType.CUSTOM)).toMatchObject({
      name: 'amodal.warning',
      value: { tools: ['zoom'] },
    })
    expect(JSON.stringify(served.model.requests.at(-1)?.body)).not.toContain('zoom')
  })

  test('ends with an error that has its code', async () => {
    const heard = new Heard(thread)
    await heard.run('break')
    expect(heard.events.at(-1)).toMatchObject({
      type: 'RUN_ERROR',
      code: expect.stringMatching(/^MODEL_/),
    })
  })

  test('a stop ends it as cancelled; a client that leaves does not', async () => {
    const heard = new Heard(thread)
    const running = heard.run('forever')
    while (!heard.texts.join('').includes('then'))
      await new Promise((resolve) => setTimeout(resolve, 5))
    const stopped = await served.post(`/ag-ui/${encodeURIComponent(thread)}/stop`, {})
    expect(await stopped.json()).toEqual({ ok: true, active: true })
    expect(await running).toBeUndefined()
    expect(heard.events.at(-1)).toMatchObject({ outcome: { type: 'cancelled' } })
  })

  test('that was cut is the same run when it is sent again', async () => {
    const heard = new Heard(thread)
    const running = heard.run('slowly', { runId: 'run-1' })
    while (!heard.texts.join('').includes('One'))
      await new Promise((resolve) => setTimeout(resolve, 5))
    heard.agent.abortRun()
    await running
    const again = new Heard(thread)
    again.agent.setMessages(heard.agent.messages.filter(({ role }) => role === 'user'))
    expect(await again.run(undefined, { runId: 'run-1' })).toBeUndefined()
    expect(again.texts).toEqual(['One two three'])
    const calls = served.model.requests.length
    const last = new Heard(thread)
    last.agent.setMessages(heard.agent.messages.filter(({ role }) => role === 'user'))
    expect(await last.run(undefined, { runId: 'run-1' })).toBeUndefined()
    expect(last.texts).toEqual(['One two three'])
    expect(served.model.requests).toHaveLength(calls)
  })
})

describe('a thread of AG-UI', () => {
  test('is a session of every wire; a client with another history is told the messages', async () => {
    const first = await (await served.post('/chat/sync', { message: 'the price' })).json()
    const heard = new Heard(first.session_id)
    expect(await heard.run('and again')).toBeUndefined()
    expect(heard.agent.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ])
    const then = await served.post('/chat/sync', { message: 'last', session_id: first.session_id })
    expect(then.status).toBe(200)
    expect(sentTexts()).toHaveLength(3)
  })

  test('an approval is answered once, here or elsewhere', async () => {
    const heard = new Heard(thread)
    await heard.run('pay')
    const [interrupt] = heard.agent.pendingInterrupts
    // of RUN_FINISHED
    const { result } = Object(heard.events.at(-1)) as { result: { session_id: string } }
    const answered = await served.post('/ask-user-response', {
      session_id: result.session_id,
      id: interrupt?.id ?? '',
      approved: true,
    })
    expect(answered.status).toBe(200)
    // 409 as long as the turn has not begun that the first answer lets go on
    expect(await heard.resume(() => ({ approved: false }))).toMatch(
      /404.*ASK_NOT_FOUND|409.*ASK_SETTLED/,
    )
    while (served.paid.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(served.paid).toEqual([48])
  })

  test('the same answers again are told the same again', async () => {
    const heard = new Heard(thread)
    await heard.run('pay')
    const resume = heard.agent.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: 'resolved' as const,
      payload: { approved: true },
    }))
    const { messages } = heard.agent
    for (const at of [1, 2]) {
      const again = new Heard(thread)
      again.agent.setMessages(structuredClone(messages))
      expect(await again.run(undefined, { resume })).toBeUndefined()
      expect([at, again.texts]).toEqual([at, ['All done.']])
    }
    expect(served.paid).toEqual([48])
  })

  test('an approval that chat asked for is answered here', async () => {
    const asked = await (await served.post('/chat/sync', { message: 'pay' })).json()
    const heard = new Heard(asked.session_id)
    const [{ id }] = asked.pending_input
    expect(
      await heard.run(undefined, {
        resume: [{ interruptId: id, status: 'resolved', payload: { approved: true } }],
      }),
    ).toBeUndefined()
    expect(served.paid).toEqual([48])
    expect(heard.texts).toEqual(['All done.'])
  })

  test('a message behind an open question is kept, and the question is told again', async () => {
    const heard = new Heard(thread)
    await heard.run('pay')
    const other = new Heard(thread)
    const mine: Message[] = heard.agent.messages
    other.agent.setMessages(mine)
    expect(await other.run('hello?')).toBeUndefined()
    expect(other.find(EventType.CUSTOM)).toMatchObject({ value: { code: 'RUN_ACTIVE' } })
    expect(other.agent.pendingInterrupts).toEqual(heard.agent.pendingInterrupts)
  })
})
