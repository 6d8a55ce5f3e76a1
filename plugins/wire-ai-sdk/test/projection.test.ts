import { askId, callId, type AgentEvent, type AgentEvents, type Frame } from '@amodal/sdk'
import { readUIMessageStream, uiMessageChunkSchema, type UIMessage, type UIMessageChunk } from 'ai'
import { describe, expect, test } from 'vitest'
import type { Chunk } from '../src/chunk.ts'
import { Projection, type ProjectionStart } from '../src/projection.ts'

const START = { session: 'sess_1', messageId: 'm:reply' } as const

/** Frames of a run whose commits are the numbers among them. */
function framesOf(...events: readonly (AgentEvent | number)[]): readonly Frame[] {
  let [seq, n] = [0, 0]
  return events.flatMap((event): readonly Frame[] => {
    if (typeof event === 'number') {
      ;[seq, n] = [event, 0]
      return []
    }
    return [{ id: { seq, fencingToken: 1, attempt: 0, n: ++n }, at: 0, event }]
  })
}

const text = (content: string): AgentEvent => ({ type: 'text_delta', content })
const call = (id: string): AgentEvent => ({
  type: 'tool_call_start',
  tool_name: 'look',
  tool_id: id,
  parameters: { token: 'sk-1' },
})
const result = (
  id: string,
  more: Partial<AgentEvents['tool_call_result']> = { result: '{"a":1}' },
): AgentEvent => ({ type: 'tool_call_result', tool_id: id, status: 'success', ...more })
const approval = (id: string, call: string): AgentEvent => ({
  type: 'confirmation_required',
  id,
  correlation_id: id,
  tool_id: call,
  tool_name: 'look',
  endpoint: 'look',
  method: 'CALL',
  reason: 'It costs',
  escalated: false,
  tier: 'confirm',
  params: { password: 'p' },
  connection_name: '',
  pending_input_type: 'approval',
  pending_input_schema: {},
  pending_input_context: {},
})
const DONE: AgentEvent = {
  type: 'done',
  reason: 'model_stop',
  usage: { input_tokens: 3, output_tokens: 2, cached_tokens: 0, total_tokens: 5 },
  cost: 0.5,
}

/** What comes of frames, each chunk checked. */
async function told(
  frames: readonly Frame[],
  start: ProjectionStart = START,
  end: (projection: Projection) => readonly Chunk[] = () => [],
): Promise<readonly Chunk[]> {
  const projection = new Projection(start)
  const chunks = [
    ...projection.begin(),
    ...frames.flatMap((frame) => projection.frame(frame)),
    ...end(projection),
  ]
  for (const chunk of chunks)
    expect(await uiMessageChunkSchema().validate?.(chunk)).toMatchObject({ success: true })
  return chunks
}

/** The message that a client makes of chunks. */
async function messageOf(
  chunks: readonly Chunk[],
  message?: UIMessage,
): Promise<UIMessage | undefined> {
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(structuredClone(chunk) as UIMessageChunk)
      controller.close()
    },
  })
  let last: UIMessage | undefined
  for await (const next of readUIMessageStream({ stream, ...(message && { message }) })) last = next
  return last
}

const partsOf = (message: UIMessage | undefined): readonly unknown[] =>
  message?.parts.map((part) => ('text' in part ? part.text : part.type)) ?? []

describe('the chunks of a turn', () => {
  test('of a reply with reasoning, calls, an approval and what followed', async () => {
    const chunks = await told(
      framesOf(
        { type: 'init', session_id: 'sess_1' },
        { type: 'reasoning_delta', content: 'Hm' },
        text('I look.'),
        call('c1'),
        call('c2'),
        1,
        approval('a1', 'c1'),
        approval('a2', 'c2'),
        2,
        { type: 'approved', resource_type: 'tool_call', preview_id: 'a1' },
        result('c2', { status: 'error', error: 'declined' }),
        result('c1', {
          result: 'seen',
          content: [
            { type: 'image', mimeType: 'image/png', data: 'AAAA' },
            { type: 'image', mimeType: 'image/png', data: 'BBBB', audience: 'model' },
          ],
        }),
        { type: 'widget', widget_type: 'table', data: {} },
        { type: 'tool_log', tool_name: 'look', message: 'x' },
        3,
        text('Done.'),
        4,
        DONE,
      ),
    )
    await expect(`${JSON.stringify(chunks, null, 2)}\n`).toMatchFileSnapshot('golden/reply.json')
    expect(JSON.stringify(chunks)).not.toMatch(/sk-1|"p"|BBBB/)
    expect(partsOf(await messageOf(chunks))).toEqual([
      'step-start',
      'Hm',
      'I look.',
      'tool-look',
      'tool-look',
      'file',
      'data-widget',
      'step-start',
      'Done.',
    ])
  })

  test('take back what an attempt has told, and nothing that is committed', async () => {
    const chunks = await told(
      framesOf(
        text('First.'),
        call('c1'),
        1,
        result('c1'),
        2,
        text('Wro'),
        call('c9'),
        { type: 'reset', after_seq: 2 },
        text('Right.'),
        3,
        DONE,
      ),
    )
    expect(partsOf(await messageOf(chunks))).toEqual([
      'step-start',
      'First.',
      'tool-look',
      'step-start',
      'Right.',
    ])
    const kept = await told(
      framesOf(
        text('I look.'),
        call('c1'),
        1,
        { type: 'warning', message: 'void' },
        { type: 'reset', after_seq: 1 },
        result('c1'),
        2,
        DONE,
      ),
    )
    expect(partsOf(await messageOf(kept))).toEqual(['step-start', 'I look.', 'tool-look'])
  })

  test('go on with a message that the client has', async () => {
    const before = await messageOf(
      await told(framesOf(call('c1'), 1, approval('a1', 'c1'), 2), START, (projection) =>
        projection.parked([
          { id: askId('a1'), type: 'approval', call: callId('c1'), schema: {}, context: {} },
        ]),
      ),
    )
    const chunks = await told(
      framesOf(
        { type: 'reset', after_seq: 0 },
        { type: 'approved', resource_type: 'tool_call', preview_id: 'a1' },
        result('c1'),
        // of a call that this client never had
        result('c7'),
        3,
        text('Done.'),
        4,
        DONE,
      ),
      { ...START, continues: { calls: ['c1'], approvals: new Map([['c1', 'a1']]) } },
    )
    const after = await messageOf(chunks, before)
    expect(partsOf(after)).toEqual(['step-start', 'tool-look', 'step-start', 'Done.'])
    expect(after?.parts[1]).toMatchObject({ state: 'output-available', output: { a: 1 } })
  })

  test('of a question hand its call to the client', async () => {
    const chunks = await told(framesOf(call('c1'), 1), START, (projection) =>
      projection.parked([
        {
          id: askId('q1'),
          type: 'question',
          call: callId('c1'),
          schema: { type: 'object' },
          context: { question: 'Which?', api_key: 'sk-2' },
        },
        { id: askId('q2'), type: 'continue_or_finish', schema: {}, context: {} },
      ]),
    )
    const message = await messageOf(chunks)
    expect(partsOf(message)).toEqual(['step-start', 'tool-look', 'data-question', 'data-question'])
    expect(message?.parts[1]).toMatchObject({ state: 'input-available', providerExecuted: false })
    expect(JSON.stringify(chunks)).not.toContain('sk-2')
    expect(chunks.at(-1)).toMatchObject({
      finishReason: 'tool-calls',
      messageMetadata: { pending: ['q1', 'q2'] },
    })
  })

  test('end with an error where the turn failed, or its stream was cut', async () => {
    const failed = await told(
      framesOf(
        text('Well'),
        { type: 'error', code: 'MODEL_FAILED', message: 'it is down' },
        { type: 'done', reason: 'error' },
      ),
    )
    expect(failed).toContainEqual({ type: 'error', errorText: 'MODEL_FAILED: it is down' })
    const cut = await told(framesOf(text('Well')), START, (projection) => projection.cut())
    expect(cut.map(({ type }) => type).slice(-5)).toEqual([
      'text-end',
      'message-metadata',
      'error',
      'finish-step',
      'finish',
    ])
  })
})
