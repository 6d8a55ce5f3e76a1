import {
  callId,
  principalId,
  runId,
  NO_USAGE,
  stateOf,
  type AgentState,
  type SequencedEntry,
  type RunRecord,
} from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { withCrashCounted, recover } from '../src/run/recover.ts'

const record: RunRecord = {
  run: runId('r'),
  principal: principalId('p'),
  started_at: 0,
  from: 0,
  max_turns: 15,
  usage: NO_USAGE,
  redirects: 0,
  recovery: { count: 0, since: 0 },
  bundle: 'b',
}
const intent = (call: string, keyed: boolean, seq: number): SequencedEntry => ({
  v: 1,
  kind: 'tool_intent',
  run: record.run,
  at: 0,
  seq,
  call: callId(call),
  name: 'tool',
  args: {},
  args_hash: 'h',
  tool_hash: 't',
  keyed,
})
const recoveryOf = (state: AgentState, entries: readonly SequencedEntry[] = []) =>
  recover({ v: 1, kind: 'run', record, state }, entries)

describe('where a run goes on', () => {
  test('a model call is repeated', () => {
    expect(recoveryOf({ kind: 'streaming', step: 3 })).toEqual({
      state: { kind: 'thinking', step: 3 },
      unknown: [],
    })
  })

  test('a model call is repeated from a state of an earlier release, which had its attempt', () => {
    const stored = { v: 1, kind: 'run', record, state: { kind: 'streaming', step: 3, attempt: 1 } }
    const state = stateOf({ state: JSON.stringify(stored) })
    if (state.kind !== 'run') throw new Error('no run')
    expect(recover(state, [])).toEqual({ state: { kind: 'thinking', step: 3 }, unknown: [] })
  })

  test('an effect in flight is repeated if its target recognizes repeats, and otherwise settled as unknown', () => {
    const call = (id: string, phase: 'running' | 'queued' | 'settled') => ({
      id: callId(id),
      name: 'tool',
      phase,
    })
    const calls = [
      call('done', 'settled'),
      call('keyed', 'running'),
      call('plain', 'running'),
      call('next', 'queued'),
    ]
    const { state, unknown } = recoveryOf({ kind: 'executing', step: 1, calls }, [
      intent('keyed', true, 1),
      intent('plain', false, 2),
    ])
    expect(unknown.map(({ id }) => id)).toEqual(['plain'])
    expect(state).toMatchObject({
      kind: 'executing',
      calls: [
        { phase: 'settled' },
        { id: 'keyed', phase: 'running' },
        { id: 'plain', phase: 'settled' },
        { phase: 'queued' },
      ],
    })
  })

  test('other states resume unchanged', () => {
    for (const state of [
      { kind: 'thinking', step: 2 },
      { kind: 'compacting', step: 1, cause: 'overflow' },
    ] as const)
      expect(recoveryOf(state)).toEqual({ state, unknown: [] })
  })
})

test('crashes of a run are counted, with the time of the first', () => {
  const once = withCrashCounted(record, 1_000)
  expect(once.recovery).toEqual({ count: 1, since: 1_000 })
  expect(withCrashCounted(once, 9_000).recovery).toEqual({ count: 2, since: 1_000 })
})
