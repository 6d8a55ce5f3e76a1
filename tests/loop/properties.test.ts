import { History } from '@amodal/plugin-loop'
import { NEXT, principalId, runId, sessionId, type JournalEntry, type Placed, type SessionId, type StateKind } from '@amodal/sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { given, startTestAgent, type TestAgent } from './support/agent.ts'
import { only } from './support/entries.ts'
import type { Asked, Reply } from './support/scripted-model.ts'
import { historyProblem } from './support/strict-history.ts'
import { commitsOf, recorded, type StoreCall } from './support/store.ts'
import { reads, success, writes } from './support/tools.ts'

const TOOLS = ['look', 'write', 'keyed', 'ask', 'confirm', 'denied', 'fails', 'nowhere', 'stop'] as const

const call = fc.record({ name: fc.constantFrom(...TOOLS), id: fc.constantFrom('a', 'b', ''), input: fc.constantFrom('{}', '{"v":1}', '{"v":', '[]') })
const step = fc.record({
  text: fc.array(fc.constantFrom('so ', 'it ', 'is '), { maxLength: 2 }), calls: fc.array(call, { maxLength: 4 }),
  ends: fc.oneof({ weight: 8, arbitrary: fc.constant('well') }, { weight: 1, arbitrary: fc.constant('length') }, { weight: 1, arbitrary: fc.constant('breaks') }),
})
const message = fc.record({ steps: fc.array(step, { maxLength: 3 }), cancelAt: fc.option(fc.nat(6), { nil: undefined, freq: 3 }) })
const plan = fc.record({ messages: fc.array(message, { minLength: 1, maxLength: 3 }), together: fc.boolean(), yes: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }) })

type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never
interface Going { readonly message: Plan['messages'][number]; replies: number; ticks: number }

/** A world in which many plans run, each in a session of its own. */
async function world() {
  const going = new Map<string, Going>()
  const sessions = new Map<string, SessionId>()
  const moves: { readonly run: string; readonly from: StateKind; readonly to: StateKind }[] = []
  const effects: string[] = []
  const statements: StoreCall[] = []

  /** Something happens in that message's turn; a cancel may come right then. */
  const tick = (said: string): void => {
    const one = going.get(said)
    const session = sessions.get(said)
    if (one && session && one.ticks++ === one.message.cancelAt) void agent.face.cancel(session)
  }
  const script = (asked: Asked): Reply => {
    const one = going.get(asked.said)
    tick(asked.said)
    const next = one?.message.steps[one.replies++]
    if (!next || asked.toolChoice === 'none') return { text: 'end' }
    return { text: next.text, calls: next.calls, ...(next.ends === 'length' ? { finish: 'length' } : {}), ...(next.ends === 'breaks' ? { breaks: 'cut' } : {}) }
  }
  const agent = await startTestAgent({
    script, around: recorded(statements), limits: { maxTurns: 4 },
    tools: [
      reads('look'), reads('fails', () => { throw new Error('no') }), reads('stop', () => ({ status: 'success', output: 1, ends: true })),
      reads('ask', () => ({ status: 'asks', question: { type: 'question', schema: { type: 'object' }, context: {} } })),
      ...['write', 'keyed', 'confirm', 'denied'].map((name) => writes(name, (_args, { key }) => { effects.push(key); return success(name) }, { keyed: name === 'keyed' })),
    ],
    taps: ({ tool, state }) => {
      tool.guard.tap((verdict, { tool: { name } }) => (name === 'confirm' ? verdict.raise('confirm', 'sure?') : name === 'denied' ? verdict.raise('deny', 'never') : undefined))
      state.changed.tap((from, to, { run }) => { moves.push({ run, from, to }) })
    },
  })
  return { agent, going, sessions, moves, effects, statements, tick }
}

let plans = 0

interface Played { readonly session: SessionId; readonly said: readonly string[]; readonly dones: readonly number[] }

/** Runs a plan to its end: everything is answered, by yes or no, until each message has its `done`. */
async function play(played: Plan, { agent, going, sessions }: Awaited<ReturnType<typeof world>>): Promise<Played> {
  const id = plans++
  const said = played.messages.map((_, index) => `plan ${id} message ${index}`)
  const session = sessionId(`sess_plan${id}`)
  let answers = 0
  const one = async (text: string, index: number): Promise<number> => {
    const message = played.messages[index]
    if (message) going.set(text, { message, replies: 0, ticks: 0 })
    sessions.set(text, session)
    const sent = await agent.send(text, session, { create: true })
    return readOn(sent.frames)
  }
  const readOn = async (frames: Awaited<ReturnType<TestAgent['send']>>['frames']): Promise<number> => {
    let dones = 0
    for await (const { event } of frames) {
      if (event.type === 'done') dones++
      const ask = event.type === 'confirmation_required' ? event.id : event.type === 'ask_user' ? event.ask_id : undefined
      if (ask !== undefined) void agent.answer(session, [ask, event.type === 'ask_user' ? {} : { approved: played.yes[answers++ % 3] ?? false }])
    }
    return dones
  }
  const dones: number[] = []
  if (played.together) dones.push(...await Promise.all(said.map(one)))
  else for (const [index, text] of said.entries()) dones.push(await one(text, index))
  return { session, said, dones }
}

const folded = (entries: readonly Placed[]): History => {
  const history = new History()
  for (const entry of entries) history.apply(entry, entry.seq)
  return history
}

test('whatever a model says, people answer and cancel: the promises of the loop hold', async () => {
  const around = await world()
  const { agent, moves, effects, statements } = around
  await fc.assert(fc.asyncProperty(plan, async (played) => {
    const before = agent.model.asked.length
    moves.length = 0
    effects.length = 0
    statements.length = 0
    const { session, said, dones } = await play(played, around)
    const entries = await agent.journal(session)

    expect(dones, '`done` exactly once per message').toEqual(said.map(() => 1))
    expect(only(entries, 'user_message').map(({ text }) => text), 'messages are answered in order').toEqual(said)
    expect(only(entries, 'run_ended'), 'each run ends once').toHaveLength(said.length)

    const called = only(entries, 'model_reply').flatMap(({ calls }) => calls.map(({ id }) => id))
    expect(only(entries, 'tool_outcome').map(({ call: id }) => id).sort(), 'every call has exactly one outcome').toEqual([...called].sort())
    expect(new Set(called).size, 'ids are unique in a session').toBe(called.length)
    expect(new Set(effects).size, 'no effect happens twice').toBe(effects.length)

    for (const { from, to } of moves) expect(NEXT[from], `${from} → ${to}`).toContain(to)
    for (const { entries: written, end, took } of commitsOf(statements)) {
      expect(written.length > 0 || end !== 'hold' || took.controls.length > 0, 'no commit without a reason').toBe(true)
    }

    // A run is whole: nothing of another one stands inside it.
    const runs = entries.map(({ run }) => run)
    expect(runs.filter((run, index) => run !== runs[index - 1]), 'runs do not mix').toHaveLength(said.length)

    const states = new Set(entries.map((_, index) => JSON.stringify(folded(entries.slice(0, index + 1)).messages)))
    for (const { prompt } of agent.model.asked.slice(before)) expect(states, 'what a model is sent is the journal as it stood').toContain(JSON.stringify(prompt))
    for (let index = 0; index <= entries.length; index++) {
      const history = folded(entries.slice(0, index))
      history.close()
      expect(historyProblem(history.messages), `the history at ${index} is well-formed`).toBeUndefined()
    }
  }), { numRuns: 400 })
  expect(agent.errors).toEqual([])
  expect(agent.agent.status()).toMatchObject({ active: 0 })
}, 60_000)

test('the resident history and a history folded anew are one', async () => {
  const around = await world()
  const { agent } = around
  await fc.assert(fc.asyncProperty(plan, async (played) => {
    const { session } = await play({ ...played, together: false }, around)
    const entries = await agent.journal(session)
    await agent.say('and now', session)
    const history = folded(entries)
    history.apply({ v: 1, kind: 'user_message', run: runId('r'), at: 0, key: 'k', principal: principalId('me'), text: 'and now', bundle: '' } satisfies JournalEntry, entries.length + 1)
    expect(agent.model.asked.at(-1)?.prompt).toEqual(history.messages)
    given(await agent.face.remove(session))
  }), { numRuns: 300 })
}, 60_000)
