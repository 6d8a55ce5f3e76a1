import { EventType, type BaseEvent } from '@ag-ui/core'
import { EventSchemas } from '@ag-ui/core/schemas'
import { verifyEvents } from '@ag-ui/client'
import { askId, callId, type AgentEvent, type Frame } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import type { AgUiEvent } from '../src/event.ts'
import { Projection } from '../src/projection.ts'

const START = {
  threadId: 't',
  runId: 'r',
  session: 'sess_1',
  key: 'r',
  messages: [{ id: 'u1', role: 'user', content: 'hi' }],
  snapshots: [],
} as const

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
const result = (id: string): AgentEvent => ({
  type: 'tool_call_result',
  tool_id: id,
  status: 'success',
  result: 'seen',
})
const DONE: AgentEvent = { type: 'done', reason: 'model_stop' }

/** What comes of frames, in an order that the client verifies. */
async function told(
  frames: readonly Frame[],
  end: (projection: Projection) => readonly AgUiEvent[] = () => [],
): Promise<readonly AgUiEvent[]> {
  const projection = new Projection(START)
  const events = [
    ...projection.begin(),
    ...frames.flatMap((frame) => projection.frame(frame)),
    ...end(projection),
  ]
  for (const event of events) EventSchemas.parse(event)
  await verified(events)
  return events
}

async function verified(events: readonly AgUiEvent[]): Promise<void> {
  const { from, lastValueFrom } = await import('rxjs')
  const all = events.map((event): BaseEvent => ({ ...event, type: EventType[event.type] }))
  await lastValueFrom(from(all).pipe(verifyEvents()))
}

describe('the events of a run', () => {
  test('of a reply with reasoning, calls and text', async () => {
    const events = await told(
      framesOf(
        { type: 'reasoning_delta', content: 'Hm' },
        text('I look.'),
        call('c1'),
        call('c2'),
        1,
        result('c1'),
        result('c2'),
        2,
        text('Done.'),
        3,
        DONE,
      ),
    )
    await expect(`${JSON.stringify(events, null, 2)}\n`).toMatchFileSnapshot('golden/reply.json')
  })

  test('take back what an attempt has told', async () => {
    const events = await told(
      framesOf(text('Wro'), { type: 'reset', after_seq: 0 }, text('Right.'), 1, DONE),
    )
    const snapshot = events.find(({ type }) => type === 'MESSAGES_SNAPSHOT')
    expect(snapshot).toEqual({ type: 'MESSAGES_SNAPSHOT', messages: START.messages })
    const ids = events.flatMap((event) =>
      event.type === 'TEXT_MESSAGE_START' ? [event.messageId] : [],
    )
    expect(new Set(ids).size).toBe(2)
  })

  test('keep what a commit stands behind', async () => {
    const events = await told(
      framesOf(
        text('I look.'),
        call('c1'),
        1,
        { type: 'tool_log', tool_name: 'look', message: 'x' },
        { type: 'reset', after_seq: 1 },
        result('c1'),
        2,
        DONE,
      ),
    )
    const snapshot = events.find((event) => event.type === 'MESSAGES_SNAPSHOT')
    expect(snapshot?.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  test('of sub-agents are opened and closed, also where the run waits or fails', async () => {
    const sub = (event_type: 'thought' | 'complete', id: string): AgentEvent => ({
      type: 'subagent_event',
      parent_tool_id: id,
      agent_name: 'helper',
      event_type,
    })
    const frames = framesOf(
      call('c1'),
      call('c2'),
      1,
      sub('thought', 'c1'),
      sub('complete', 'c1'),
      sub('thought', 'c2'),
    )
    const asks = [
      {
        id: askId('a'),
        type: 'approval' as const,
        call: callId('c2'),
        schema: {},
        context: { params: { password: 'p' } },
      },
    ]
    const parked = await told(frames, (projection) => projection.parked(asks))
    expect(parked.filter(({ type }) => type.startsWith('SUBAGENT'))).toEqual([
      expect.objectContaining({ type: 'SUBAGENT_STARTED', subagentRunId: 'c1' }),
      expect.objectContaining({ type: 'SUBAGENT_FINISHED', outcome: { type: 'success' } }),
      expect.objectContaining({ type: 'SUBAGENT_STARTED', subagentRunId: 'c2' }),
      expect.objectContaining({ type: 'SUBAGENT_FINISHED', outcome: { type: 'suspended' } }),
    ])
    expect(JSON.stringify(parked)).not.toContain('"p"')
    const cut = await told(frames, (projection) => projection.cut())
    expect(cut.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'LEASE_LOST' })
  })

  test('have the live state where there is one', async () => {
    const events = await told(
      framesOf(
        { type: 'state_snapshot', version: 1, state: { a: 1 } } as unknown as AgentEvent, // to come
        {
          type: 'state_delta',
          base: 1,
          version: 2,
          patch: [{ op: 'replace', path: '/a', value: 2 }],
        } as unknown as AgentEvent,
        DONE,
      ),
    )
    expect(events.filter(({ type }) => type.startsWith('STATE'))).toEqual([
      { type: 'STATE_SNAPSHOT', snapshot: {} },
      { type: 'STATE_SNAPSHOT', snapshot: { a: 1 } },
      { type: 'STATE_DELTA', delta: [{ op: 'replace', path: '/a', value: 2 }] },
    ])
  })
})
