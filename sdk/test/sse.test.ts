import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../src/agent-event.ts'
import type { Frame } from '../src/ports/frame.ts'
import { isSecretName, redact } from '../src/index.ts'
import { eventStream, frameText, wireEvent } from '../src/wire/index.ts'
import { frameQueue } from './frame-queue.ts'

const frame = (event: AgentEvent, n = 1): Frame => ({
  id: { seq: 123_456, fencingToken: 12, attempt: 1, n },
  at: Date.UTC(2026, 10, 21, 12),
  event,
})
const dataOf = (text: string): Record<string, unknown> =>
  JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? 'null')

describe('a frame on the wire', () => {
  test('has an id to resume from, its type twice, and one line of data', () => {
    expect(frameText(frame({ type: 'done', reason: 'model_stop' }))).toBe(
      'id: 123456.12.1.1\nevent: done\ndata: {"type":"done","reason":"model_stop","timestamp":"2026-11-21T12:00:00.000Z"}\n\n',
    )
  })

  test('a text of 5 characters takes at most 150 bytes, with both spellings and the id', () => {
    expect(
      Buffer.byteLength(frameText(frame({ type: 'text_delta', content: 'hello' }, 1_234))),
    ).toBeLessThanOrEqual(150)
  })

  test('the short way for text says the same as the long one', () => {
    for (const content of [
      '',
      'hello',
      'line\nbreak\r\n',
      '"quoted" \\',
      '\u2028\u2029\u0085 \u0000 😀 \ud800',
      'data: x\n\n',
    ]) {
      const delta = frame({ type: 'text_delta', content })
      const text = frameText(delta)
      expect(dataOf(text)).toEqual(JSON.parse(JSON.stringify(wireEvent(delta))))
      expect(text.split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(5)
    }
  })
})

describe('second spellings', () => {
  const cases: readonly (readonly [AgentEvent, Record<string, unknown>])[] = [
    [
      { type: 'init', session_id: 's' },
      { session_id: 's', sessionId: 's' },
    ],
    [
      { type: 'text_delta', content: 'x' },
      { content: 'x', delta: 'x' },
    ],
    [
      { type: 'tool_call_start', tool_name: 'request', tool_id: 't', parameters: { a: 1 } },
      {
        tool_name: 'request',
        name: 'request',
        tool_id: 't',
        id: 't',
        parameters: { a: 1 },
        args: { a: 1 },
      },
    ],
    [
      { type: 'tool_call_result', tool_id: 't', status: 'success', result: 'r' },
      { tool_id: 't', id: 't', result: 'r' },
    ],
    [
      { type: 'skill_activated', skill_name: 'k' },
      { skill_name: 'k', skill: 'k' },
    ],
  ]
  test.each(cases)('%o', (event, expected) => {
    expect(wireEvent(frame(event))).toMatchObject({
      type: event.type,
      timestamp: '2026-11-21T12:00:00.000Z',
      ...expected,
    })
  })
})

describe('secrets among parameters', () => {
  test.each([
    'token',
    'access_token',
    'accessToken',
    'client-secret',
    'PASSWORD',
    'userPassword',
    'Authorization',
    'api_key',
    'apiKey',
    'APIKey',
    'x-api-key',
    'private_key',
    'credentials',
  ])('%s is one', (name) => {
    expect(isSecretName(name)).toBe(true)
  })
  test.each([
    'key',
    'keyboard',
    'monkey',
    'max_tokens',
    'tokenizer',
    'author',
    'authored_by',
    'secretary',
    'primary_key',
    'api',
    'passport',
  ])('%s is none', (name) => {
    expect(isSecretName(name)).toBe(false)
  })
  test('at any depth, and nothing else changes', () => {
    const parameters = {
      url: '/x',
      headers: [{ Authorization: 'Bearer abc', accept: '*' }],
      body: { api_key: { nested: 1 }, password: null, key: 'ship-1' },
    }
    expect(redact(parameters)).toEqual({
      url: '/x',
      headers: [{ Authorization: '[REDACTED]', accept: '*' }],
      body: { api_key: '[REDACTED]', password: null, key: 'ship-1' },
    })
    const plain = { a: [1, { b: 'c' }] }
    expect(redact(plain)).toBe(plain)
  })
  test('never reach the wire, whichever event carries them', () => {
    const parameters = { api_key: 'sk-planted' }
    const events: readonly AgentEvent[] = [
      { type: 'tool_call_start', tool_name: 't', tool_id: '1', parameters },
      { type: 'tool_call_result', tool_id: '1', status: 'success', parameters },
      {
        type: 'subagent_event',
        parent_tool_id: '1',
        agent_name: 'a',
        event_type: 'tool_call_start',
        tool_args: parameters,
      },
      {
        type: 'confirmation_required',
        id: 'a',
        correlation_id: 'a',
        endpoint: '',
        method: '',
        reason: '',
        escalated: false,
        tier: 'confirm',
        params: parameters,
        connection_name: '',
        pending_input_type: 'approval',
        pending_input_schema: {},
        pending_input_context: { params: parameters },
      },
    ]
    for (const event of events) expect(frameText(frame(event))).not.toContain('sk-planted')
  })
})

describe('an event stream on any host', () => {
  test('is a standard response that ends with its frames', async () => {
    const frames = frameQueue()
    frames.push(
      frame({ type: 'init', session_id: 's' }),
      frame({ type: 'text_delta', content: 'hi' }),
    )
    setTimeout(() => {
      frames.push(frame({ type: 'done', reason: 'model_stop' }))
      frames.end()
    }, 10)
    const response = eventStream(frames)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(
      [...(await response.text()).matchAll(/^event: (.*)$/gm)].map(([, type]) => type),
    ).toEqual(['init', 'text_delta', 'done'])
  })

  test('a reader that leaves closes the frames', async () => {
    const frames = frameQueue()
    frames.push(frame({ type: 'init', session_id: 's' }))
    const reader = eventStream(frames).body?.getReader()
    await reader?.read()
    expect(frames.closed).toBe(false)
    await reader?.cancel()
    expect(frames.closed).toBe(true)
  })

  test('a reader that never begins closes them as well', async () => {
    const frames = frameQueue()
    await eventStream(frames).body?.cancel()
    expect(frames.closed).toBe(true)
  })

  test('a signal ends it', async () => {
    const frames = frameQueue()
    const stop = new AbortController()
    const text = eventStream(frames, { signal: stop.signal }).text()
    setTimeout(() => stop.abort(), 10)
    expect(await text).toBe('')
    expect(frames.closed).toBe(true)
  })

  test('a reader that does not read stops the reading of frames, and gets all of them later', async () => {
    const frames = frameQueue()
    const content = 'x'.repeat(100_000)
    const reader = eventStream(frames).body?.getReader()
    const first = reader?.read()
    for (let n = 0; n < 40; n++) {
      frames.push(frame({ type: 'text_delta', content }))
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    frames.end()
    expect(frames.waiting).toBeGreaterThan(20) // 200 KB a frame, with room for 1 MB
    let bytes = (await first)?.value?.byteLength ?? 0
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
      bytes += next.value.byteLength
    expect(bytes).toBeGreaterThan(40 * 2 * content.length)
  })

  test('a quiet stream is kept open by comments', async () => {
    const frames = frameQueue()
    setTimeout(() => frames.end(), 60)
    expect(await eventStream(frames, { heartbeatMs: 10 }).text()).toMatch(/^(:\n\n)+$/)
  })
})
