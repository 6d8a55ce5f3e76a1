import type { SequencedEntry } from '@amodal/sdk'
import { NEXT } from '@amodal/sdk/loop'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { given } from './support/agent.ts'
import { only } from './support/entries.ts'
import { leftWith, told } from './support/frames.ts'
import { folded, isSummary, plan, World, type Played } from './support/plans.ts'
import { changes, outline, spoken } from './support/prompts.ts'
import { historyProblem } from './support/strict-history.ts'
import { commitsOf } from './support/store.ts'

const RUNS = 1_000

type Outcome = Extract<SequencedEntry, { kind: 'tool_outcome' | 'child_closed' }>
const outcomesIn = (entries: readonly SequencedEntry[]): readonly Outcome[] =>
  entries.filter(
    (entry): entry is Outcome => entry.kind === 'tool_outcome' || entry.kind === 'child_closed',
  )
const callsIn = (entries: readonly SequencedEntry[]): readonly string[] =>
  only(entries, 'model_reply').flatMap(({ calls }) => calls.map(({ id }) => id))

/** What the loop promises of every session, a sub-agent's too, whatever was said in it. */
function kept(entries: readonly SequencedEntry[], messages: number): void {
  const runs = only(entries, 'run_ended').map(({ run }) => run)
  expect(runs, 'each run ends once').toHaveLength(messages)
  const inOrder = entries.map(({ run }) => run)
  expect(
    inOrder.filter((run, index) => run !== inOrder[index - 1]),
    'runs do not mix',
  ).toEqual(runs)

  const called = callsIn(entries)
  expect(
    outcomesIn(entries)
      .map(({ call: id }) => id)
      .sort(),
    'every call has exactly one outcome',
  ).toEqual([...called].sort())
  expect(new Set(called).size, 'ids are unique in a session').toBe(called.length)

  for (let index = 0; index <= entries.length; index++) {
    const history = folded(entries.slice(0, index))
    history.close()
    expect(
      historyProblem(history.messages),
      `the history at ${index} is well-formed`,
    ).toBeUndefined()
  }
}

/** What it promises of a conversation with all that belongs to it. */
async function promised(
  world: World,
  { session, said, readers }: Played,
): Promise<readonly SequencedEntry[]> {
  const { moves, effects, statements } = world
  const { own: entries, children } = await world.journals(session)
  expect(
    only(entries, 'user_message')
      .map(({ text }) => text)
      .sort(),
    'every message is kept',
  ).toEqual([...said].sort())
  kept(entries, said.length)
  for (const child of children) kept(child, only(child, 'user_message').length)
  expect(new Set(effects).size, 'no effect happens twice').toBe(effects.length)

  for (const { from, to } of moves) expect(NEXT[from], `${from} → ${to}`).toContain(to)
  for (const { entries: written, end, acknowledged: took } of commitsOf(statements)) {
    expect(
      written.length > 0 || end !== 'hold' || took.controls.length > 0,
      'no commit without a reason',
    ).toBe(true)
  }

  // Whoever read along has what was kept: the words, and each fact once.
  for (const [index, frames] of readers.entries()) {
    const run = only(entries, 'user_message').find(({ text }) => text === said[index])?.run
    const own = entries.filter((entry) => entry.run === run)
    const events = leftWith(frames).map(({ event }) => event)
    const of = (type: string): readonly string[] =>
      events.flatMap((event) =>
        event.type === type && 'tool_id' in event ? [event.tool_id ?? ''] : [],
      )
    expect(
      events.filter(({ type }) => type === 'done'),
      '`done` exactly once per message',
    ).toHaveLength(1)
    expect(told(session, frames).text, 'the words').toBe(
      only(own, 'model_reply')
        .map(({ text }) => text)
        .join(''),
    )
    expect(of('tool_call_result'), 'the outcomes, in their order').toEqual(
      outcomesIn(own).map(({ call }) => call),
    )
    expect(new Set(of('tool_call_start')).size, 'no start twice').toBe(of('tool_call_start').length)
    expect(callsIn(own)).toEqual(expect.arrayContaining([...of('tool_call_start')]))
  }
  return entries
}

/** Prompts go on from each other byte for byte; a snapshot, which the journal has, begins anew. */
function grown(world: World, entries: readonly SequencedEntry[]): void {
  const snapshots = only(entries, 'compacted').length
  const { anew, masked } = changes(world.asked.filter(spoken))
  expect(anew, 'prompts begin anew where the journal says so').toBeLessThanOrEqual(snapshots)
  seen.masked += masked
}

/** What the plans have come upon: a property of what never happens says nothing. */
const seen = { snapshots: 0, children: 0, inner: 0, asked: 0, spent: 0, masked: 0, cancelled: 0 }

function noted(entries: readonly SequencedEntry[]): void {
  const ended = only(entries, 'run_ended').map(({ reason }) => reason)
  seen.snapshots += only(entries, 'compacted').length
  seen.children += only(entries, 'child_closed').length
  seen.inner += only(entries, 'tool_outcome').filter(
    ({ name, status }) => name === 'chain' && status === 'success',
  ).length
  seen.asked += only(entries, 'input_asked').filter(
    ({ ask_type: type }) => type === 'continue_or_finish',
  ).length
  seen.spent += ended.filter((reason) => reason === 'budget_exceeded').length
  seen.cancelled += ended.filter((reason) => reason === 'user_abort').length
}

test('whatever a model says, people answer and cancel: the promises of the loop hold', async () => {
  const world = await World.start(1)
  const [agent] = world.servers
  await fc.assert(
    fc.asyncProperty(plan, async (played) => {
      const done = await world.play(played)
      const entries = await promised(world, done)
      noted(entries)
      expect(
        only(entries, 'user_message').map(({ text }) => text),
        'messages are answered in order',
      ).toEqual(done.said)
      const states = new Set(
        entries.map((_, index) =>
          JSON.stringify(outline(folded(entries.slice(0, index + 1)).messages)),
        ),
      )
      for (const { prompt } of world.asked.filter(spoken))
        expect(states, 'what a model is sent is the journal as it stood').toContain(
          JSON.stringify(outline(prompt)),
        )
      grown(world, entries)
    }),
    { numRuns: RUNS },
  )
  expect(agent?.errors).toEqual([])
  expect(agent?.agent.status()).toMatchObject({ active: 0 })
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0)
}, 120_000)

test('they hold on two servers at once, with a store that takes its time', async () => {
  const world = await World.start(2)
  await fc.assert(
    fc.asyncProperty(plan, async (played) => {
      const done = await world.play(played)
      grown(world, await promised(world, done))
    }),
    { numRuns: RUNS / 2 },
  )
  for (const { errors } of world.servers) expect(errors).toEqual([])
}, 120_000)

test('the resident history and a history folded anew are one', async () => {
  const world = await World.start(1)
  const [agent] = world.servers
  if (!agent) return expect.unreachable()
  await fc.assert(
    fc.asyncProperty(plan, async (played) => {
      const { session } = await world.play({ ...played, together: false })
      const entries = await agent.journal(session)
      await agent.say('and now', session)
      const asked = world.asked.findLast((one) => !isSummary(one))
      const now = await agent.journal(session)
      const history = folded(
        now.slice(
          0,
          now.findLastIndex(({ kind }) => kind === 'user_message' || kind === 'compacted') + 1,
        ),
      )
      expect(now.slice(0, entries.length)).toEqual(entries)
      expect(outline(asked?.prompt ?? [])).toEqual(outline(history.messages))
      given(await agent.face.remove(session))
    }),
    { numRuns: RUNS / 2 },
  )
}, 120_000)
