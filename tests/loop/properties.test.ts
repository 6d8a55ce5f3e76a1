import { NEXT, principalId, runId, type JournalEntry, type Placed } from '@amodal/sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { given } from './support/agent.ts'
import { only } from './support/entries.ts'
import { leftWith, told } from './support/frames.ts'
import { folded, plan, World, type Played } from './support/plans.ts'
import { historyProblem } from './support/strict-history.ts'
import { commitsOf } from './support/store.ts'

const RUNS = 400

/** What the loop promises of every session, whatever was said in it. */
function promised({ moves, effects, statements }: World, { session, said, readers }: Played, entries: readonly Placed[]): void {
  const runs = only(entries, 'run_ended').map(({ run }) => run)
  expect(only(entries, 'user_message').map(({ text }) => text).sort(), 'every message is kept').toEqual([...said].sort())
  expect(runs, 'each run ends once').toHaveLength(said.length)
  const inOrder = entries.map(({ run }) => run)
  expect(inOrder.filter((run, index) => run !== inOrder[index - 1]), 'runs do not mix').toEqual(runs)

  const called = only(entries, 'model_reply').flatMap(({ calls }) => calls.map(({ id }) => id))
  expect(only(entries, 'tool_outcome').map(({ call: id }) => id).sort(), 'every call has exactly one outcome').toEqual([...called].sort())
  expect(new Set(called).size, 'ids are unique in a session').toBe(called.length)
  expect(new Set(effects).size, 'no effect happens twice').toBe(effects.length)

  for (const { from, to } of moves) expect(NEXT[from], `${from} → ${to}`).toContain(to)
  for (const { entries: written, end, took } of commitsOf(statements)) {
    expect(written.length > 0 || end !== 'hold' || took.controls.length > 0, 'no commit without a reason').toBe(true)
  }

  // Whoever read along has what was kept: the words, and each fact once.
  for (const [index, frames] of readers.entries()) {
    const run = only(entries, 'user_message').find(({ text }) => text === said[index])?.run
    const own = entries.filter((entry) => entry.run === run)
    const events = leftWith(frames).map(({ event }) => event)
    const of = (type: string): readonly string[] => events.flatMap((event) => (event.type === type && 'tool_id' in event ? [event.tool_id ?? ''] : []))
    const calls = only(own, 'model_reply').flatMap(({ calls: ids }) => ids.map(({ id }) => id))
    expect(events.filter(({ type }) => type === 'done'), '`done` exactly once per message').toHaveLength(1)
    expect(told(session, frames).text, 'the words').toBe(only(own, 'model_reply').map(({ text }) => text).join(''))
    expect(of('tool_call_result'), 'the outcomes, in their order').toEqual(only(own, 'tool_outcome').map(({ call }) => call))
    expect(new Set(of('tool_call_start')).size, 'no start twice').toBe(of('tool_call_start').length)
    expect(calls).toEqual(expect.arrayContaining([...of('tool_call_start')]))
  }

  for (let index = 0; index <= entries.length; index++) {
    const history = folded(entries.slice(0, index))
    history.close()
    expect(historyProblem(history.messages), `the history at ${index} is well-formed`).toBeUndefined()
  }
}

test('whatever a model says, people answer and cancel: the promises of the loop hold', async () => {
  const world = await World.start(1)
  const [agent] = world.servers
  await fc.assert(fc.asyncProperty(plan, async (played) => {
    const before = world.asked.length
    const done = await world.play(played)
    const entries = await agent?.journal(done.session) ?? []
    promised(world, done, entries)
    expect(only(entries, 'user_message').map(({ text }) => text), 'messages are answered in order').toEqual(done.said)
    const states = new Set(entries.map((_, index) => JSON.stringify(folded(entries.slice(0, index + 1)).messages)))
    for (const { prompt } of world.asked.slice(before)) expect(states, 'what a model is sent is the journal as it stood').toContain(JSON.stringify(prompt))
  }), { numRuns: RUNS })
  expect(agent?.errors).toEqual([])
  expect(agent?.agent.status()).toMatchObject({ active: 0 })
}, 60_000)

test('they hold on two servers at once, with a store that takes its time', async () => {
  const world = await World.start(2)
  await fc.assert(fc.asyncProperty(plan, async (played) => {
    const done = await world.play(played)
    promised(world, done, await world.servers[0]?.journal(done.session) ?? [])
  }), { numRuns: RUNS })
  for (const { errors } of world.servers) expect(errors).toEqual([])
}, 60_000)

test('the resident history and a history folded anew are one', async () => {
  const world = await World.start(1)
  const [agent] = world.servers
  if (!agent) return expect.unreachable()
  await fc.assert(fc.asyncProperty(plan, async (played) => {
    const { session } = await world.play({ ...played, together: false })
    const entries = await agent.journal(session)
    await agent.say('and now', session)
    const history = folded(entries)
    history.apply({ v: 1, kind: 'user_message', run: runId('r'), at: 0, key: 'k', principal: principalId('me'), text: 'and now', bundle: '' } satisfies JournalEntry, entries.length + 1)
    expect(world.asked.at(-1)?.prompt).toEqual(history.messages)
    given(await agent.face.remove(session))
  }), { numRuns: RUNS })
}, 60_000)
