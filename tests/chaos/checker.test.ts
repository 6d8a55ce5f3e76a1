/**
 * The checker finds what it is there for: violations that are planted into a history where all is
 * well.
 */

import { expect, test } from 'vitest'
import { askId, callId, principalId, runId, sessionId } from '@amodal/kernel'
import type { JournalEntry, SequencedEntry } from '@amodal/kernel'
import type { ClientEvent } from '@amodal/sdk/client'
import { check } from './checker.ts'
import type { History, Kept, KeptSession, Observation, Seen } from './history.ts'
import { messageOf, type Plan } from './plan.ts'

const plan: Plan = {
  marker: 'm',
  steps: [[{ tool: 'effect_plain', approve: true }, { tool: 'effect_keyed' }]],
}
const [session, run, ask, plain, keyed] = [
  sessionId('sess_1'),
  runId('run_1'),
  askId('ask_1'),
  callId('call_1'),
  callId('call_2'),
]
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }
const model = { provider: 'p', model: 'm' }
const me = principalId('local')

type Fact = JournalEntry extends infer E
  ? E extends JournalEntry
    ? Omit<E, 'v' | 'run' | 'at'>
    : never
  : never

const place = (facts: readonly Fact[]): readonly SequencedEntry[] =>
  // each is an entry of its kind
  facts.map((fact, index) => ({ v: 1, run, at: 0, ...fact, seq: index + 1 }))
const outcome = (
  call: typeof plain,
  name: string,
  status: 'success' | 'error' | 'unknown' = 'success',
): Fact => ({ kind: 'tool_outcome', call, name, status, output: 'done', ms: 1 })
const FACTS: readonly Fact[] = [
  { kind: 'user_message', key: 'k', principal: me, text: messageOf(plan), bundle: 'b' },
  {
    kind: 'model_reply',
    step: 1,
    text: 'I will.',
    usage,
    model,
    finish: 'tool-calls',
    ms: 1,
    calls: [
      { id: plain, name: 'effect_plain', input: '{"marker":"m.1.1","approve":true}' },
      { id: keyed, name: 'effect_keyed', input: '{"marker":"m.1.2"}' },
    ],
  },
  { kind: 'input_asked', ask, ask_type: 'approval', call: plain, schema: {}, context: {} },
  {
    kind: 'input_answered',
    ask,
    ask_type: 'approval',
    call: plain,
    answer: { approved: true, feedback: 'from 1' },
    principal: me,
    key: `answer:${ask}`,
  },
  {
    kind: 'tool_intent',
    call: plain,
    name: 'effect_plain',
    args: {},
    args_hash: '',
    tool_hash: '',
    keyed: false,
  },
  outcome(plain, 'effect_plain'),
  {
    kind: 'tool_intent',
    call: keyed,
    name: 'effect_keyed',
    args: {},
    args_hash: '',
    tool_hash: '',
    keyed: true,
  },
  outcome(keyed, 'effect_keyed'),
  { kind: 'model_reply', step: 2, text: 'Done.', usage, model, finish: 'stop', ms: 1, calls: [] },
  { kind: 'run_ended', reason: 'model_stop', usage, steps: 2 },
]

type Told = ClientEvent extends infer E
  ? E extends ClientEvent
    ? Omit<E, 'timestamp' | 'frame'>
    : never
  : never
const hear = (reader: string, events: readonly Told[]): readonly Seen[] =>
  events.map((event, n) => ({
    kind: 'event',
    reader,
    key: 'k',
    event: { timestamp: '', frame: { seq: 0, fencingToken: 1, attempt: 0, n: n + 1 }, ...event },
  })) // what is left out is added
const TOLD: readonly Told[] = [
  { type: 'init', session_id: session },
  { type: 'text_delta', content: 'I will.' },
  { type: 'tool_call_start', tool_name: 'effect_plain', tool_id: plain, parameters: {} },
  { type: 'tool_call_start', tool_name: 'effect_keyed', tool_id: keyed, parameters: {} },
  {
    type: 'confirmation_required',
    id: ask,
    correlation_id: ask,
    endpoint: '',
    method: '',
    reason: '',
    escalated: false,
    tier: 'confirm',
    params: {},
    connection_name: '',
    pending_input_type: 'approval',
    pending_input_schema: {},
    pending_input_context: {},
  },
  { type: 'tool_call_result', tool_id: plain, status: 'success' },
  { type: 'tool_call_result', tool_id: keyed, status: 'success' },
  { type: 'text_delta', content: 'Done.' },
  { type: 'done', reason: 'model_stop' },
]
const SEEN: readonly Seen[] = [
  { kind: 'sent', key: 'k', plan },
  { kind: 'reading', reader: 'r', key: 'k', session },
  {
    kind: 'answering',
    session,
    ask,
    client: 'client 1',
    answer: { approved: true, feedback: 'from 1' },
  },
  {
    kind: 'answering',
    session,
    ask,
    client: 'client 2',
    answer: { approved: false, feedback: 'from 2' },
  },
  { kind: 'answered', session, ask, client: 'client 1', heard: 'accepted', code: '200' },
  { kind: 'answered', session, ask, client: 'client 2', heard: 'refused', code: '409' },
  ...hear('r', TOLD),
  { kind: 'storing', document: 'd', value: 'v1' },
  { kind: 'stored', document: 'd', value: 'v1', heard: 'accepted', version: 1 },
  { kind: 'storing', document: 'd', value: 'v2' },
  { kind: 'stored', document: 'd', value: 'v2', heard: 'accepted', version: 2 },
  { kind: 'read', session, entries: ['h1', 'h2', 'h3'] },
]
const LANE = { head: FACTS.length, owner: null, messages: 0, controls: 0, parked: false, state: '' }
const call = (marker: string, key?: string) => ({ marker, tool: '', server: 'a', key, at: 0 })

interface Parts {
  readonly facts?: readonly Fact[]
  readonly seen?: readonly Seen[]
  readonly kept?: Partial<Kept>
  readonly lane?: Partial<Record<keyof typeof LANE, unknown>>
}

function historyOf({ facts = FACTS, seen = SEEN, kept = {}, lane = {} }: Parts = {}): History {
  const entries = place(facts)
  const own: KeptSession = {
    session,
    entries,
    hashes: entries.map(({ seq }) => `h${seq}`),
    lane: { ...LANE, head: entries.length, ...lane },
  }
  return {
    title: 'planted',
    seed: 1,
    seen: seen.map((one, at): Observation => ({ at, ...one })),
    kept: {
      sessions: [own],
      calls: [call('m.1.1'), call('m.1.2', 'run_1:call_2'), call('m.1.2', 'run_1:call_2')],
      audit: undefined,
      stuck: [],
      documents: [
        {
          document: 'd',
          versions: [
            { version: 1, value: 'v1' },
            { version: 2, value: 'v2' },
          ],
        },
      ],
      ...kept,
    },
  }
}

const without = <T extends { readonly kind: string }>(
  all: readonly T[],
  kind: string,
  nth = 0,
): readonly T[] => {
  const found = all.filter((one) => one.kind === kind)[nth]
  return all.filter((one) => one !== found)
}
/** The same, with the fields of some of them changed. */
const changed = <T extends object>(
  all: readonly T[],
  is: (one: T) => boolean,
  change: object,
): readonly T[] => all.map((one) => (is(one) ? { ...one, ...change } : one))
const told = (events: readonly Told[]): readonly Seen[] => [
  ...SEEN.filter(({ kind }) => kind !== 'event'),
  ...hear('r', events),
]
const isOutcome =
  (id: string) =>
  (fact: Fact): boolean =>
    fact.kind === 'tool_outcome' && fact.call === id
const isAnswer =
  (client: string) =>
  (one: Seen): boolean =>
    one.kind === 'answered' && one.client === client

test('finds nothing where all is well', () => {
  expect(check(historyOf())).toEqual([])
})

test('finds nothing where a run was set aside, and continued when its reader had left', () => {
  const seen = told([
    ...TOLD.slice(0, 5),
    { type: 'error', code: 'RUN_SET_ASIDE', message: 'it stopped its server 3 times' },
    { type: 'done', reason: 'error' },
  ])
  expect(check(historyOf({ seen }))).toEqual([])
})

test.each<[title: string, parts: Parts, kind: string, text: RegExp]>([
  [
    'a lost message',
    { facts: without(FACTS, 'user_message') },
    'lost',
    /m was acknowledged, and is in the journal 0 times/,
  ],
  [
    'a doubled message',
    { facts: [...FACTS, ...FACTS.slice(0, 1)] },
    'doubled',
    /in the journal 2 times/,
  ],
  ['a message without an end', { facts: without(FACTS, 'run_ended') }, 'lost', /0 ends/],
  ['a message with two ends', { facts: [...FACTS, ...FACTS.slice(-1)] }, 'doubled', /2 ends/],
  [
    'a run that ends with an error',
    { facts: changed(FACTS, ({ kind }) => kind === 'run_ended', { reason: 'error' }) },
    'broken',
    /ended with error/,
  ],
  [
    'a run that is aborted by nobody',
    { facts: changed(FACTS, ({ kind }) => kind === 'run_ended', { reason: 'user_abort' }) },
    'broken',
    /nobody had cancelled/,
  ],
  [
    'a client that gave up',
    { seen: [...SEEN, { kind: 'gave_up', key: 'k', why: 'no end' }] },
    'stuck',
    /gave up on m/,
  ],

  [
    'a doubled effect',
    { kept: { calls: [call('m.1.1'), call('m.1.1'), call('m.1.2', 'k')] } },
    'doubled',
    /m\.1\.1 took effect 2 times/,
  ],
  [
    'a doubled effect under two keys',
    { kept: { calls: [call('m.1.1'), call('m.1.2', 'k'), call('m.1.2', 'other')] } },
    'doubled',
    /m\.1\.2 took effect 2 times/,
  ],
  [
    'a success without an effect',
    { kept: { calls: [call('m.1.1')] } },
    'lost',
    /m\.1\.2 is told to have succeeded/,
  ],
  [
    'an effect that is told to be an error',
    {
      facts: changed(FACTS, isOutcome(keyed), { status: 'error' }),
      seen: told(
        changed(TOLD, (one) => one.type === 'tool_call_result' && one.tool_id === keyed, {
          status: 'error',
        }),
      ),
    },
    'disobeyed',
    /m\.1\.2 took effect, and its outcome says/,
  ],
  [
    'an effect of a message that was never kept',
    { kept: { calls: [...historyOf().kept.calls, call('ghost.1.1')] } },
    'broken',
    /ghost\.1\.1 took effect/,
  ],
  [
    'an unknown outcome without a crash',
    { facts: changed(FACTS, isOutcome(plain), { status: 'unknown' }) },
    'broken',
    /nothing had happened to any server/,
  ],
  [
    'an unknown outcome of what could be repeated',
    { facts: changed(FACTS, isOutcome(keyed), { status: 'unknown' }) },
    'broken',
    /which could be repeated/,
  ],

  [
    'a losing answer that is obeyed',
    {
      facts: changed(FACTS, ({ kind }) => kind === 'input_answered', {
        answer: { approved: false, feedback: 'from 2' },
      }),
    },
    'disobeyed',
    /that of client 2, who was told 409/,
  ],
  [
    'an answer that nobody gave',
    {
      facts: changed(FACTS, ({ kind }) => kind === 'input_answered', {
        answer: { approved: true, feedback: 'from 3' },
      }),
    },
    'disobeyed',
    /which nobody gave/,
  ],
  [
    'two winners',
    { seen: changed(SEEN, isAnswer('client 2'), { heard: 'accepted' }) },
    'disobeyed',
    /2 clients were told/,
  ],
  [
    'an answer that is settled instead of the one that won',
    {
      seen: changed(
        changed(SEEN, isAnswer('client 1'), { heard: 'unknown' }),
        isAnswer('client 2'),
        { heard: 'accepted' },
      ),
    },
    'disobeyed',
    /client 2 was told to have given it/,
  ],
  [
    'an effect that was declined',
    {
      facts: changed(FACTS, ({ kind }) => kind === 'input_answered', {
        answer: { approved: false, feedback: 'from 1' },
      }),
    },
    'disobeyed',
    /m\.1\.1 was declined, came to success and took effect 1 times/,
  ],
  [
    'an approved call that does not run',
    {
      facts: changed(FACTS, isOutcome(plain), { status: 'error' }),
      kept: { calls: [call('m.1.2', 'k')] },
    },
    'disobeyed',
    /m\.1\.1 was approved, and did not run/,
  ],
  [
    'a question that expires at once',
    {
      facts: changed(FACTS, ({ kind }) => kind === 'input_answered', {
        answer: { approved: false },
        void: 'expired',
      }),
    },
    'broken',
    /expired, an hour before its time/,
  ],
  [
    'a question that is settled twice',
    { facts: [...FACTS.slice(0, 4), ...FACTS.slice(3)] },
    'doubled',
    /settled 2 times/,
  ],
  [
    'an open question that everybody was refused',
    { seen: changed(SEEN, isAnswer('client 1'), { heard: 'refused' }) },
    'disobeyed',
    /was open, and everybody who answered was refused/,
  ],

  [
    'a gap in the journal',
    {
      kept: {
        sessions: [
          {
            ...(historyOf().kept.sessions[0] as KeptSession),
            entries: place(FACTS).map((entry) => ({
              ...entry,
              seq: entry.seq + (entry.seq > 3 ? 1 : 0),
            })),
          },
        ],
      },
    },
    'broken',
    /entry 4 has seq 5/,
  ],
  [
    'a head that is not the last entry',
    { lane: { head: 3 } },
    'broken',
    /the head is 3 with 10 entries/,
  ],
  [
    'an entry that was changed',
    { seen: [...SEEN, { kind: 'read', session, entries: ['h1', 'other'] }] },
    'rewritten',
    /entry 2 is not the one/,
  ],
  [
    'an entry that is gone',
    {
      seen: [
        ...SEEN,
        { kind: 'read', session, entries: [...FACTS, ...FACTS].map((_, index) => `h${index + 1}`) },
      ],
    },
    'rewritten',
    /entry 11 is not the one/,
  ],
  [
    'a call with two outcomes',
    { facts: [...FACTS.slice(0, 6), ...FACTS.slice(5)] },
    'doubled',
    /call_1 has 2 outcomes/,
  ],
  [
    'a call without an outcome',
    { facts: without(FACTS, 'tool_outcome', 1) },
    'lost',
    /call_2 has 0 outcomes/,
  ],

  [
    'text that was told twice',
    { seen: told([...TOLD.slice(0, 2), ...TOLD.slice(1)]) },
    'mistold',
    /read "I will\.I will\.Done\."/,
  ],
  [
    'text that was not told',
    { seen: told(TOLD.filter((one) => one.type !== 'text_delta')) },
    'mistold',
    /read ""/,
  ],
  [
    'an end that was told twice',
    { seen: told([...TOLD, ...TOLD.slice(-1)]) },
    'mistold',
    /2 times that it is done/,
  ],
  [
    'a result that was told twice',
    { seen: told([...TOLD.slice(0, 6), ...TOLD.slice(5)]) },
    'mistold',
    /the results call_1, call_1, call_2/,
  ],
  [
    'another result than the one that is kept',
    {
      seen: told(
        changed(TOLD, (one) => one.type === 'tool_call_result' && one.tool_id === plain, {
          status: 'error',
        }),
      ),
    },
    'mistold',
    /call_1 came to error, and it is success/,
  ],
  [
    'another end than the one that is kept',
    { seen: told(changed(TOLD, ({ type }) => type === 'done', { reason: 'error' })) },
    'mistold',
    /ended with error, and it is model_stop/,
  ],
  [
    'a fact that was taken back',
    {
      seen: told([
        ...TOLD.slice(0, 5),
        { type: 'tool_call_result', tool_id: 'call_9', status: 'success' },
        { type: 'reset', after_seq: 0 },
      ]),
    },
    'mistold',
    /call_9 came to success, and it is not there/,
  ],
  [
    'a reader who comes back and misses something',
    {
      seen: [
        ...SEEN,
        { kind: 'reading', reader: 'late', key: 'k', session, from: { reader: 'r', events: 2 } },
        ...hear('late', TOLD.slice(5)),
      ],
    },
    'mistold',
    /late of k was told the starts of nothing/,
  ],

  ['a lane that is not at rest', { lane: { owner: 'a' } }, 'stuck', /not at rest/],
  ['a message that still waits', { lane: { messages: 1 } }, 'stuck', /not at rest/],
  ['a server that cannot be used', { kept: { stuck: [{ text: 'no turn' }] } }, 'stuck', /no turn/],
  [
    'an audit log that does not hold',
    { kept: { audit: 'line 3 was changed' } },
    'broken',
    /line 3 was changed/,
  ],
  [
    'a lost write',
    { kept: { documents: [{ document: 'd', versions: [{ version: 1, value: 'v1' }] }] } },
    'lost',
    /v2 was acknowledged, and is not there/,
  ],
  [
    'a doubled write',
    {
      kept: {
        documents: [
          {
            document: 'd',
            versions: [1, 2, 3].map((version) => ({ version, value: `v${Math.min(2, version)}` })),
          },
        ],
      },
    },
    'doubled',
    /v2 was written 2 times/,
  ],
  [
    'a gap between versions',
    {
      kept: {
        documents: [
          {
            document: 'd',
            versions: [
              { version: 1, value: 'v1' },
              { version: 3, value: 'v2' },
            ],
          },
        ],
      },
    },
    'broken',
    /version 3 stands at place 2/,
  ],
  [
    'a refused write that is there',
    {
      seen: changed(SEEN, (one) => one.kind === 'stored' && one.value === 'v2', {
        heard: 'refused',
      }),
    },
    'disobeyed',
    /v2 was refused/,
  ],
])('finds %s', (_title, parts, kind, text) => {
  expect(check(historyOf(parts))).toContainEqual(
    expect.objectContaining({ kind, text: expect.stringMatching(text) }),
  )
})

test('finds messages that changed places', () => {
  const [first, second] = [
    { ...plan, marker: 'a', steps: [] },
    { ...plan, marker: 'b', steps: [] },
  ]
  const told = (key: string): Seen => ({
    kind: 'event',
    reader: key,
    key,
    event: {
      type: 'init',
      session_id: session,
      timestamp: '',
      frame: { seq: 0, fencingToken: 1, attempt: 0, n: 0 },
    },
  })
  const facts = (key: string, own: Plan): readonly Fact[] => [
    { kind: 'user_message', key, principal: me, text: messageOf(own), bundle: 'b' },
  ]
  const seen: readonly Seen[] = [
    { kind: 'sent', key: 'a', plan: first },
    told('a'),
    { kind: 'sent', key: 'b', plan: second },
    told('b'),
  ]
  expect(
    check(historyOf({ facts: [...facts('b', second), ...facts('a', first)], seen })),
  ).toContainEqual(
    expect.objectContaining({ text: expect.stringMatching(/the message a stands behind b/) }),
  )
})
