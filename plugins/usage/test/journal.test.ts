import { definePlugin, sessionId, unwrap, use, type SequencedEntry } from '@amodal/sdk'
import { spentIn } from '@amodal/sdk/loop'
import { reply, type Answer, type Script } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { boot, looking, STORAGES, type Door, type Json } from './support.ts'

const RUNS = 40
const NANO = 1_000_000_000

/** Random numbers that come again with their seed. */
function random(seed: number): (most: number) => number {
  let state = seed
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 4_294_967_296) * most)
  }
}

/** A model that answers, calls tools and sub-agents, takes answers back, breaks and fails. */
function wild(next: (most: number) => number): Script {
  return ({ messages }) => {
    const usage = {
      promptTokens: 100 + next(900),
      completionTokens: next(300),
      cachedTokens: next(100),
    }
    if (messages.length > 9) return reply.text('enough', { usage })
    const calls: Answer[] = [
      reply.toolCalls({ name: 'look', arguments: {} }, { usage }),
      reply.toolCalls(
        [
          { name: 'fail', arguments: {} },
          { name: 'look', arguments: {} },
        ],
        { usage },
      ),
      reply.toolCalls({ name: 'dispatch_task', arguments: { prompt: 'Look.' } }, { usage }),
      reply.text('', { finishReason: 'content_filter', usage }),
      reply.text('half', { ending: { kind: 'cut', after: 1 }, usage }),
    ]
    return (
      calls[next(12)] ?? (next(20) === 0 ? reply.httpError(400) : reply.text('done', { usage }))
    )
  }
}

const routing = (next: (most: number) => number) =>
  definePlugin({
    name: 'routing',
    version: '1.0.0',
    setup({ hooks }) {
      hooks.model.route.tap(({ config }) => ({
        provider: config.provider,
        model: ['cheap', 'dear', 'free'][next(3)] ?? 'cheap',
      }))
    },
  })

async function journals(door: Door, session: string): Promise<readonly SequencedEntry[]> {
  const view = unwrap(await door.client().session(sessionId(session)), ({ message }) => message)
  const children = await Promise.all(
    view.entries.flatMap((entry) =>
      entry.kind === 'child_opened' ? [journals(door, entry.child)] : [],
    ),
  )
  return [...view.entries, ...children.flat()]
}

/** Sums of entries, by what `keyOf` gives. */
function summed(entries: readonly SequencedEntry[]) {
  const ended = entries.filter((entry) => entry.kind === 'run_ended')
  const spent = entries.flatMap((entry) => spentIn(entry) ?? [])
  const costs = spent.flatMap(({ cost }) => cost ?? [])
  const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)
  return {
    runs: ended.length,
    errors: ended.filter(({ error }) => error).length,
    calls: spent.length,
    tokens: {
      input: sum(spent.map(({ usage }) => usage.input)),
      output: sum(spent.map(({ usage }) => usage.output)),
      cache_read: sum(spent.map(({ usage }) => usage.cacheRead)),
      cache_write: sum(spent.map(({ usage }) => usage.cacheWrite)),
    },
    cost: sum(costs) / NANO,
    unpriced_calls: spent.length - costs.length,
  }
}

const byKey = (groups: unknown): ReadonlyMap<unknown, Json> =>
  new Map((groups as readonly Json[]).map((group) => [group['key'], group]))

test.each(STORAGES)('sums equal those of the journal: %s', async (_, storage) => {
  const next = random(7)
  const door = await boot({
    storage: storage(),
    script: wild(next),
    entries: [looking(), use(routing(next))],
  })
  const sessions = new Set<string>()
  let session: string | undefined
  for (let n = 0; n < RUNS; n++) {
    session = await door.say(`Message ${n}`, undefined, n % 3 === 0 ? undefined : session)
    sessions.add(session)
  }
  const all = await Promise.all([...sessions].map((one) => journals(door, one)))
  const entries = all.flat()
  const children = entries.filter(({ kind }) => kind === 'child_closed')
  const failed = entries.filter((entry) => entry.kind === 'run_ended' && entry.error)
  const retaken = entries.filter((entry) => entry.kind === 'note' && entry.spent)
  expect(children.length, 'sub-agents ran').toBeGreaterThan(2)
  expect(failed.length, 'runs failed').toBeGreaterThan(0)
  expect(retaken.length, 'attempts failed').toBeGreaterThan(0)

  const byModel = await door.json('/api/usage?group=model')
  expect(byModel['total']).toMatchObject(summed(entries))
  for (const [model, group] of byKey(byModel['groups'])) {
    const own = entries.flatMap((entry) => spentIn(entry) ?? [])
    const calls = own.filter((one) => `${one.model.provider}/${one.model.model}` === model)
    expect(group).toMatchObject({
      calls: calls.length,
      tokens: { input: calls.reduce((sum, { usage }) => sum + usage.input, 0) },
      cost:
        model === 'openai-compatible/free'
          ? null
          : calls.reduce((sum, { cost = 0 }) => sum + cost, 0) / NANO,
    })
  }
  expect([...byKey(byModel['groups']).keys()].toSorted()).toEqual([
    'openai-compatible/cheap',
    'openai-compatible/dear',
    'openai-compatible/free',
  ])

  const tools = byKey((await door.json('/api/usage?group=tool'))['groups'])
  const outcomes = entries.filter((entry) => entry.kind === 'tool_outcome')
  for (const name of ['look', 'fail']) {
    const own = outcomes.filter((entry) => entry.name === name)
    expect(tools.get(name)).toMatchObject({
      calls: own.length,
      call_errors: own.filter(({ status }) => status !== 'success').length,
    })
  }
  expect(tools.get('dispatch_task')).toMatchObject({ calls: children.length })

  const agents = byKey((await door.json('/api/usage?group=agent'))['groups'])
  expect(agents.get('main')).toMatchObject({ runs: RUNS })
  const names = [...agents.keys()]
  expect(names, 'sub-agents have their names').toHaveLength(2)
  expect(names.reduce<number>((sum, name) => sum + Number(agents.get(name)?.['runs']), 0)).toBe(
    summed(entries).runs,
  )
})
