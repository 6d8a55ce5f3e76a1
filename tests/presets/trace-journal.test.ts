import { randomUUID } from 'node:crypto'
import {
  instanceId,
  isList,
  isObject,
  LOCAL_TENANT,
  sessionId,
  SessionStore,
  unwrap,
  type Failure,
  type Json,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'

const START = Date.parse('2026-05-01T09:00:00Z')
/** Entries of one commit. */
const COMMIT = 6
const USAGE = { input: 100, output: 10, cacheRead: 40, cacheWrite: 0 }
const MODEL = { provider: 'openai-compatible', model: 'scripted' }

const value = <T>(result: Result<T, Failure>): T => unwrap(result, ({ message }) => message)

async function opened(): Promise<Door> {
  const door = await openDoor({ script: reply.text('Hello.') })
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}

/** A session with a journal as the loop writes it. @param entries without version, run and time */
async function seed(door: Door, entries: readonly JsonObject[]): Promise<string> {
  const store = door.running.kernel.scope.get(SessionStore)
  const signal = AbortSignal.timeout(60_000)
  const ref = { tenant: LOCAL_TENANT, session: sessionId(`sess_${randomUUID()}`) }
  const key = randomUUID()
  const accepted = value(
    await store.accept(
      {
        ...ref,
        key,
        body: '{"kind":"message","text":"hello"}',
        control: false,
        owner: instanceId('elsewhere'),
        leaseMs: 60_000,
        create: { principal: 'local', title: 'Seeded', meta: '{}' },
      },
      signal,
    ),
  )
  const { sessionRecord } = accepted
  if (!sessionRecord) throw new Error('the session was not created')
  const bodies = entries.map((entry, index) =>
    JSON.stringify({
      v: entry['kind'] === 'user_message' ? 2 : 1,
      run: 'run_1',
      at: START + index * 1_000,
      ...entry,
    }),
  )
  // As the loop does it: a few entries in each commit.
  for (let from = 0; from < bodies.length; from += COMMIT) {
    const isLast = from + COMMIT >= bodies.length
    const committed = value(
      await store.commit(
        {
          ...ref,
          fencingToken: sessionRecord.fencingToken,
          base: sessionRecord.head + from,
          key: randomUUID(),
          state: '{"v":1,"kind":"idle"}',
          entries: bodies.slice(from, from + COMMIT).map((body) => ({ body })),
          acknowledged: { messages: isLast ? [key] : [], controls: [] },
          erase: [],
          end: isLast ? 'end' : 'hold',
          leaseMs: 60_000,
          progress: true,
          add: { messages: 1, input: 0, output: 0 },
        },
        signal,
      ),
    )
    expect(committed.verdict).toBe('ok')
  }
  return ref.session
}

const message = (text: string, more: JsonObject = {}): JsonObject => ({
  kind: 'user_message',
  key: randomUUID(),
  principal: 'local',
  text,
  bundle: 'b1',
  ...more,
})
const answered = (text: string, calls: readonly JsonObject[] = [], more: JsonObject = {}) => ({
  kind: 'model_reply',
  step: 1,
  text,
  calls: [...calls],
  usage: USAGE,
  model: MODEL,
  finish: calls.length > 0 ? 'tool-calls' : 'stop',
  ms: 400,
  ...more,
})
const calling = (id: string, name = 'write'): JsonObject => ({ id, name, input: '{"a":1}' })
const ended = (more: JsonObject = {}): JsonObject => ({
  kind: 'run_ended',
  reason: 'model_stop',
  usage: USAGE,
  steps: 1,
  ...more,
})

async function rowsOf(door: Door, session: string, query = ''): Promise<readonly JsonObject[]> {
  const { status, body } = await door.get(`/sessions/${session}/trace${query}`)
  expect(status).toBe(200)
  const { rows } = body
  return isList(rows) ? rows.filter((row: Json) => isObject(row)) : []
}

async function pagedRows(
  door: Door,
  session: string,
  limit: number,
): Promise<readonly JsonObject[]> {
  const all: JsonObject[] = []
  for (let after: number | undefined = 0; after !== undefined;) {
    const { body } = await door.get(`/sessions/${session}/trace?limit=${limit}&after=${after}`)
    const { rows, next } = body
    if (isList(rows)) all.push(...rows.filter((row: Json) => isObject(row)))
    after = typeof next === 'number' ? next : undefined
  }
  return all
}

test('recovery, compaction, state, retries, unknown outcomes and what settled them', async () => {
  const door = await opened()
  const spent = { usage: USAGE, model: MODEL, cost: 2_000_000 }
  const session = await seed(door, [
    message('go'),
    { kind: 'note', code: 'model_call', text: 'an attempt that failed', spent },
    answered('', [calling('c1')], { reasoning: 'First I write.', cost: 3_000_000 }),
    {
      kind: 'tool_intent',
      call: 'c1',
      name: 'write',
      args: { a: 1 },
      args_hash: 'h',
      tool_hash: 'h',
      keyed: true,
      target: { connection: 'crm', method: 'POST', path: '/deals' },
    },
    { kind: 'note', code: 'recovered', text: 'The run was picked up again in "executing".' },
    {
      kind: 'tool_outcome',
      call: 'c1',
      name: 'write',
      status: 'unknown',
      output: 'This was interrupted while it ran.',
      ms: 0,
      code: 'OUTCOME_UNKNOWN',
    },
    {
      kind: 'compacted',
      cause: 'threshold',
      upto: 3,
      summary: 'They told us the code 4711.',
      tokens_before: 9_000,
      tokens_after: 1_000,
    },
    {
      kind: 'note',
      code: 'state_changed',
      text: 'Fields of the state that changed: 1',
      session_state: { secret: 'hidden-4712' },
      data: { gave: 'hidden-4713' },
    },
    { kind: 'note', code: 'own-thing', text: 'hidden-4714', data: { x: 'hidden-4715' } },
    { kind: 'note', code: 'model_call', text: 'a call beside the conversation', spent },
    {
      kind: 'tool_outcome',
      call: 'c9',
      name: 'lookup',
      status: 'success',
      output: {},
      ms: 5,
      events: [{ type: 'field_scrub', connection: 'crm', endpoint: '/deals', stripped_count: 3 }],
    },
    answered('Done.', [], { step: 2, cost: 1_000_000 }),
    ended({ cost: 8_000_000 }),
    {
      kind: 'note',
      run: 'run_2',
      code: 'outcome_settled',
      text: '"write" (c1): A person has checked: it did take effect.',
      data: { call: 'c1', name: 'write', settlement: 'happened', by: 'ann', result: 'hidden-4716' },
    },
    ended({ run: 'run_2', usage: { ...USAGE, input: 0, output: 0 }, steps: 0 }),
  ])
  const rows = await rowsOf(door, session)
  expect(rows.map((row) => `${textIn(row, 'kind')} ${textIn(row, 'status')}`)).toEqual([
    'message done',
    'model done',
    'tool done',
    'recovery done',
    'compaction done',
    'state done',
    'note done',
    'model done',
    'guard done',
    'model done',
    'end done',
    'note done',
    'end done',
  ])
  expect(rows[1]).toMatchObject({
    model: { tries: 2, reasoning_chars: 14, cost: 0.003, tokens: { input: 100, cached: 40 } },
    start_ms: 1_600,
    ms: 400,
  })
  expect(rows[2]).toMatchObject({
    title: 'write → POST /deals',
    tool: { target: { connection: 'crm' }, code: 'OUTCOME_UNKNOWN' },
  })
  expect(rows[4]).toMatchObject({ title: 'Conversation compacted: 9000 → 1000 tokens (estimate)' })
  expect(rows[6]).toMatchObject({ title: 'own-thing', code: 'own-thing' })
  expect(rows[8]).toMatchObject({ title: 'Fields removed: 3 of lookup' })
  expect(rows[11]).toMatchObject({ run: { number: 2 } })
  const { body } = await door.get(`/sessions/${session}/trace`)
  expect(body['runs']).toMatchObject([
    { number: 1, cost: 0.008, model_calls: 4, tool_calls: 1, tokens: { input: 400 } },
    { number: 2 },
  ])
  for (const limit of [1, 2, 5]) expect(await pagedRows(door, session, limit)).toEqual(rows)
  const texts = [JSON.stringify(body)]
  for (const row of rows) {
    const detail = await door.get(`/sessions/${session}/trace/${textIn(row, 'id')}?full=true`)
    expect(detail.status).toBe(200)
    texts.push(detail.text)
  }
  expect(texts.join()).toContain('First I write.')
  for (const hidden of ['4711', '4712', '4713', '4714', '4715', '4716'])
    expect(texts.join()).not.toContain(hidden)
  const call = await door.get(`/sessions/${session}/trace/3.1`)
  expect(call.body).toMatchObject({ settled: { outcome: 'happened', by: 'ann' } })
})

test('the words that a person gave to a target are shown to nobody', async () => {
  const door = await opened()
  const asks = (ask: string, call: string): JsonObject => ({
    kind: 'input_asked',
    ask,
    ask_type: 'question',
    call,
    name: 'write',
    schema: {},
    context: { question: 'Which one?' },
    questions: [{ id: ask, text: 'Which one?' }],
  })
  const answers = (ask: string, call: string, response: string): JsonObject => ({
    kind: 'input_answered',
    ask,
    ask_type: 'question',
    call,
    answer: { response },
    principal: 'ann',
    key: ask,
  })
  const outcome = (call: string, output: string): JsonObject => ({
    kind: 'tool_outcome',
    call,
    name: 'write',
    status: 'success',
    output,
    ms: 1,
  })
  const session = await seed(door, [
    message('go'),
    answered('', [calling('c1'), calling('c2')]),
    asks('ask_1', 'c1'),
    asks('ask_2', 'c2'),
    answers('ask_1', 'c1', 'the blue one'),
    answers('ask_2', 'c2', 'pass-4711'),
    outcome('c1', 'the blue one'),
    outcome('c2', 'logged in'),
    ended(),
  ])
  const [first, second] = (await rowsOf(door, session)).filter(({ kind }) => kind === 'question')
  expect(first).toMatchObject({ title: 'Question: Which one? (answered)', waiting_ms: 2_000 })
  const { body } = await door.get(`/sessions/${session}/trace`)
  // two questions at the same time are waited for once
  expect(body['runs']).toMatchObject([{ ms_waiting: 3_000, ms_working: 5_000 }])
  const shown = await door.get(`/sessions/${session}/trace/${textIn(first, 'id')}`)
  expect(shown.body).toMatchObject({ answer: { value: { response: 'the blue one' } } })
  const hidden = await door.get(`/sessions/${session}/trace/${textIn(second, 'id')}`)
  expect(hidden.body).toMatchObject({ not_shown: ['answer'] })
  expect(hidden.text).not.toContain('4711')
})

test('pages are the unpaged rows, in 5,000 entries too', async () => {
  const door = await opened()
  const entries: JsonObject[] = []
  for (let turn = 0; entries.length < 5_000; turn++) {
    const run = `run_${turn}`
    const calls = [calling(`a${turn}`), calling(`b${turn}`)]
    const outcome = (call: string): JsonObject => ({
      kind: 'tool_outcome',
      call,
      name: 'write',
      status: 'success',
      output: { rows: 'x'.repeat(1_000) },
      ms: 3,
    })
    const entriesOfTurn = [
      message(`Question ${turn}`),
      answered('', calls),
      outcome(`a${turn}`),
      outcome(`b${turn}`),
      answered(`Answer ${turn}`),
      ended(),
    ]
    entries.push(...entriesOfTurn.map((entry) => ({ ...entry, run })))
  }
  const session = await seed(door, entries)
  const all = await pagedRows(door, session, 701)
  expect(all).toHaveLength(entries.length)
  const inLargePages: JsonObject[] = []
  for (let after = 0; inLargePages.length < entries.length;) {
    const rows = await rowsOf(door, session, `?limit=1000&after=${after}`)
    inLargePages.push(...rows)
    after = Number(rows.at(-1)?.['seq'])
  }
  expect(all).toEqual(inLargePages)
}, 240_000)
