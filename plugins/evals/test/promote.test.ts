import {
  callId,
  principalId,
  runId,
  sessionId,
  type Json,
  type JournalEntry,
  type JsonObject,
  type SequencedEntry,
} from '@amodal/sdk'
import { ExactNumber } from '@amodal/sdk/data'
import { describe, expect, test } from 'vitest'
import { promote, type PromotionParts } from '../src/promote/promotion.ts'
import { Scrubbing } from '../src/promote/scrubbing.ts'
import { readYamlSuite } from './support.ts'

const EXACT = new ExactNumber('12345678901234567890')
const SESSION = sessionId('sess_promoted')
const RUN = runId('run_1')
const PARTS: PromotionParts = {
  reachesOut: (tool) => (tool === 'query_store' ? false : true),
  secrets: {
    values: () => ['hunter22-secret'],
    mask: (text) => text.replaceAll('aHVudGVyMjItc2VjcmV0', '[MASKED]'),
  },
  restricted: new Set(['nickname']),
  findNumbers: (text) =>
    [...text.matchAll(/[\w.]+(?:@|%40)[\w.]+\w/g)].map(({ 0: found, index }) => ({
      kind: 'email',
      start: index,
      end: index + found.length,
    })),
}

/** An entry without what all of them have. */
type Fact = Omit<JournalEntry, 'v' | 'run' | 'at'> & Record<string, unknown>

function entriesOf(facts: readonly Fact[]): readonly SequencedEntry[] {
  const common = { v: 1, run: RUN }
  // as a journal has them
  return facts.map((one, at) => ({
    ...common,
    at,
    seq: at + 1,
    ...one,
  })) as unknown as SequencedEntry[]
}

const USAGE = { input: 1, output: 1 }
const message = (text: string, more: JsonObject = {}): Fact => ({
  kind: 'user_message',
  text,
  key: 'k',
  principal: principalId('ann'),
  bundle: 'hash',
  ...more,
})
const reply = (text: string, ...calls: readonly JsonObject[]): Fact => ({
  kind: 'model_reply',
  step: 1,
  text,
  calls,
  usage: USAGE,
})
const call = (id: string, args: JsonObject, name = 'request'): JsonObject => ({
  id,
  name,
  input: JSON.stringify(args),
})
const outcome = (id: string, output: Json, more: JsonObject = {}): Fact => ({
  kind: 'tool_outcome',
  call: callId(id),
  name: 'request',
  status: 'success',
  output,
  ...more,
})
const ended = (reason = 'model_stop'): Fact => ({
  kind: 'run_ended',
  reason,
  usage: USAGE,
  steps: 1,
})
const approval = (id: string, approved: boolean): readonly Fact[] => [
  {
    kind: 'input_asked',
    ask: `ask_${id}`,
    ask_type: 'approval',
    call: id,
    name: 'request',
    context: {},
  },
  {
    kind: 'input_answered',
    ask: `ask_${id}`,
    ask_type: 'approval',
    call: id,
    answer: { approved },
  },
]

const promoted = (facts: readonly Fact[], at?: number, isShown = false) =>
  promote(
    { session: SESSION, entries: entriesOf(facts), children: new Map(), isShown, redacted: [] },
    { name: 'a', ...(at !== undefined && { at }) },
    PARTS,
  )
const textOf = (facts: readonly Fact[], at?: number): string => {
  const result = promoted(facts, at)
  return result.ok ? result.value.text : result.error.message
}
const one = (output: Json, more: JsonObject = {}): readonly Fact[] => [
  message('Look'),
  reply('', call('c1', { id: 7 })),
  outcome('c1', output, more),
  reply('Done'),
  ended(),
]

describe('a conversation', () => {
  test('becomes a case that is read as it was meant', () => {
    const text = textOf([
      message('Look at 7', { context: { background: 'It is Monday.' } }),
      reply('', call('c1', { id: 7, none: null })),
      outcome('c1', { id: 7, text: '12345678901234567890', number: EXACT }),
      reply('', call('c2', { id: 7 })),
      outcome('c2', 'gone', { status: 'error', code: 'HTTP_404' }),
      reply('It is gone.'),
      ended(),
    ])
    const { cases, problems } = readYamlSuite(...text.split('\n'))
    expect(problems).toEqual([])
    expect(cases).toMatchObject([
      {
        name: 'a',
        setup: { context: 'It is Monday.' },
        turns: [{ input: 'Look at 7' }],
        stubs: {
          request: {
            answers: [
              { match: { id: 7 }, outcome: { output: { text: EXACT.digits } } },
              { match: { id: 7 }, outcome: { message: 'gone', code: 'HTTP_404' } },
            ],
          },
        },
        checks: [
          { kind: 'tools', tools: ['request'] },
          { kind: 'tool_order', mode: 'in_order', tools: ['request', 'request'] },
          { kind: 'approvals', tools: [] },
          { kind: 'writes', least: 0, most: 0 },
          { kind: 'ends', reason: 'model_stop' },
        ],
        rubric: [{ text: 'Should answer as it did: It is gone.' }],
      },
    ])
    expect(text).toContain(
      '# Promoted from session sess_promoted, up to entry 7.\n# Bundle: hash\n',
    )
  })

  test('is cut behind the turn that has the entry', () => {
    const facts = [message('One'), reply('1'), ended(), message('Two'), reply('2'), ended()]
    const second = facts.map((entry, at) => (at < 3 ? entry : { ...entry, run: runId('run_2') }))
    expect(textOf(second, 2)).not.toContain('Two')
    expect(textOf(second, 4)).toContain('input: Two')
    expect(textOf(second.slice(1), 1)).toContain('no message of a person is before entry 1')
  })

  test('has no stub of a tool that works on data of the case, and of a call that did not begin', () => {
    const text = textOf([
      message('Look'),
      reply('', call('c1', {}, 'query_store'), call('c2', { id: 1 })),
      outcome('c1', [], { name: 'query_store' }),
      outcome('c2', 'no', { status: 'error', code: 'TOOL_DENIED' }),
      reply('Done'),
      ended(),
    ])
    expect(text).toContain('Note: query_store has no stub')
    expect(textOf([message('x', { session_state: { plan: {} } }), ended()])).toContain(
      'Note: the session began with state of plan',
    )
    expect(text).not.toContain('tools:\n      request')
    expect(text).toContain('- writes:\n          min: 0\n          max: 1')
  })

  test('keeps answers to approvals where all of them are the same', () => {
    const facts = (...answers: readonly boolean[]): readonly Fact[] => [
      message('Write'),
      reply('', ...answers.map((_, at) => call(`c${at}`, { at }))),
      ...answers.flatMap((answer, at) => approval(`c${at}`, answer)),
      ...answers.map((_, at) => outcome(`c${at}`, 'no', { status: 'error', code: 'REJECTED' })),
      reply('Done'),
      ended(),
    ]
    expect(textOf(facts(false, false))).toContain('approvals: refuse')
    expect(textOf(facts(true))).toContain('approvals: grant')
    expect(textOf(facts(true, false))).toMatch(/^entry 6: request was refused and request approved/)
  })
})

describe('is refused', () => {
  test.each<[string, readonly Fact[], string]>([
    [
      'a handle',
      one({ ssn: '[redacted:contact.ssn:ab12cd34]' }),
      'entry 3: the call c1 of request',
    ],
    ['a private result', one('x', { private: true }), 'its result is private'],
    ['a cut result', one('abc\n… [cut: 9000 characters, 3 kept]'), 'its result was cut'],
    ['a result too large', one('x', { status: 'error', code: 'RESULT_TOO_LARGE' }), 'was cut'],
    ['an unknown outcome', one('x', { status: 'unknown' }), 'whether it took effect is unknown'],
    ['an image', one('x', { content: [{ type: 'image' }] }), 'its result has a file'],
    ['no outcome', one('x').toSpliced(2, 1), 'entry 2: the call c1 of request has no outcome'],
    ['a turn in progress', [message('Look'), reply('')], 'entry 1: its turn has not ended'],
    ['an error', [message('Look'), ended('error')], 'entry 2: the turn ended with error'],
    ['a file', [message('Look', { assets: [{}] }), ended()], 'the message has a file'],
    ['an open question', [message('x'), ...approval('c', true).slice(0, 1), ended()], 'nobody has'],
    ['no message', [reply('x')], 'the session has no message'],
  ])('%s', (_name, facts, why) => {
    expect(promoted(facts)).toMatchObject({
      ok: false,
      error: { code: 'EVAL_NOT_PROMOTABLE', message: expect.stringContaining(why) as string },
    })
  })

  test('a mark of what clients may not see, where nothing says what the agent saw', () => {
    expect(promoted(one({ iban: '[REDACTED]' }))).toMatchObject({ ok: true })
    expect(promoted(one({ iban: '[REDACTED]' }), undefined, true)).toMatchObject({ ok: false })
  })
})

describe('scrubbing', () => {
  const scrub = (...values: readonly Json[]): readonly Json[] => {
    const scrubbing = new Scrubbing({ ...PARTS, redacted: [{ value: 'Taken Out' }] })
    for (const value of values) scrubbing.learn(value)
    return values.map((value) => scrubbing.clean(value, 'here'))
  }

  test('gives the same stand-in in every spelling', () => {
    expect(scrub('Ann@acme.com and ann%40acme.com', { to: ['bob@x.org', 'ann@acme.com'] })).toEqual(
      [
        'person1@example.com and person1%40example.com',
        { to: ['person2@example.com', 'person1@example.com'] },
      ],
    )
  })

  test('finds what a field, a session or the product knows in any text', () => {
    expect(
      scrub(
        { nickname: 'Quickfoot', apiKey: 'abc-def', n: { nickname: 4711 } },
        'quickfoot, Taken Out: abc-def, 4711, hunter22-secret; aHVudGVyMjItc2VjcmV0',
        'Quickfooted',
      ),
    ).toEqual([
      { nickname: 'private-1', apiKey: 'secret-1', n: { nickname: 1002 } },
      'private-1, private-3: secret-1, 1002, secret-2; [MASKED]',
      'Quickfooted',
    ])
  })

  test('finds tokens, addresses and national numbers by their form', () => {
    expect(
      scrub(
        'ghp_16C7e42F292c6912E7710c838347Ae17 from 81.17.4.2 or 2a02:8070::1 at (212) 867-5309 or 030 1234567',
        '2026-03-26 10:15:00 v1.2.3 order-4711 12:30 127.0.0.1',
      ),
    ).toEqual([
      'secret-1 from 192.0.2.1 or 2001:db8::2 at 1-555-0100 or 1-555-0101',
      '2026-03-26 10:15:00 v1.2.3 order-4711 12:30 127.0.0.1',
    ])
  })

  test('tells what was replaced, and never the value', () => {
    const scrubbing = new Scrubbing({ ...PARTS, redacted: [] })
    scrubbing.clean(['a@b.cd', 'a@b.cd and c@d.ef'], 'result of request')
    expect(scrubbing.replaced).toEqual([{ kind: 'email', where: 'result of request', count: 3 }])
  })
})
