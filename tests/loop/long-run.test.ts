import { definePlugin, LOCAL_TENANT, principalId, sessionId, SessionStore, use } from '@amodal/sdk'
import { contentText, reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { collectGarbage } from '../reload/collect-garbage.ts'
import { given } from './support/agent.ts'
import { only } from './support/entries.ts'
import {
  filler,
  isSummary,
  looks,
  openLooking,
  sessionOf,
  textOf,
  typed,
} from './support/looking.ts'
import { recorded, type StoreCall } from './support/store.ts'

const WINDOW = 32_000
const STEPS = 300
const PLANTED = 5
/** Sub-agents that are sent out together, once in so many steps. */
const BATCH = 8
const EVERY = 60
const CHILDREN = BATCH * (STEPS / EVERY)
const MEGABYTE = 1_048_576

interface Sample {
  readonly chars: number
  readonly statements: number
  readonly cpu: number
}

const isTask = ({ messages }: ChatCompletionRequest): boolean =>
  contentText(messages[0]).includes('You work on one task for another agent')
const goesOn = (before: readonly string[], after: readonly string[]): boolean =>
  before.every((text, at) => text === after[at])
const found = (of: string, text: string): readonly string[] => [
  ...new Set(text.match(new RegExp(`${of}-\\d+`, 'g'))),
]
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

test('an investigation of 300 steps with 40 sub-agents ends, knows what it found at its start, and costs the same at its end', async () => {
  const samples: Sample[] = []
  const heap: number[] = []
  const statements: StoreCall[] = []
  let [atWork, most, anew] = [0, 0, 0]
  let before: readonly string[] = []

  /**
   * What the conversation is asked next. Every request is measured, and forgotten but for the last
   * one.
   */
  const next = async (request: ChatCompletionRequest): Promise<Reply> => {
    const step = samples.length
    const { user, system } = process.cpuUsage()
    samples.push({
      chars: textOf(request).length,
      statements: statements.length,
      cpu: user + system,
    })
    statements.length = 0
    const messages = request.messages.map((message) => JSON.stringify(message))
    if (!goesOn(before, messages)) anew++
    before = messages
    if (step % 100 === 99) {
      await collectGarbage()
      heap.push(process.memoryUsage().heapUsed)
    }
    if (step >= STEPS) return reply.text('All done.')
    if (step % EVERY !== EVERY / 2) return looks(step)
    const first = Math.floor(step / EVERY) * BATCH
    return reply.toolCalls(
      Array.from({ length: BATCH }, (_, n) => ({
        name: 'dispatch_task',
        arguments: { prompt: `Look into service ${first + n}.` },
      })),
    )
  }
  const child = async ({ messages }: ChatCompletionRequest): Promise<Reply> => {
    const task =
      /service (\d+)\./.exec(contentText(messages.find(({ role }) => role === 'user')))?.[1] ?? ''
    if (messages.some(({ role }) => role === 'tool')) {
      atWork--
      return reply.text(`CHILD-${task} is slow.`)
    }
    most = Math.max(most, ++atWork)
    await sleep(5)
    return looks(1_000 + Number(task))
  }
  /** Forgets all it was given, and says of half of it that it is settled. */
  const summary = ({ messages }: ChatCompletionRequest): Reply => {
    const [known = '', since = ''] = contentText(messages[1]).split('What has happened since:')
    const settled = [...known.matchAll(/^- (.+)$/gm)]
      .map(([, text]) => text)
      .filter((_, at) => at % 2 === 0)
    return reply.text(
      JSON.stringify({
        findings: [...found('FINDING', since), ...found('CHILD', since)],
        settled,
        done: [`looked up to step ${samples.length}`],
      }),
    )
  }
  const counting = definePlugin({
    name: 'counting',
    version: '1.0.0',
    decorates: [SessionStore],
    setup({ decorate }) {
      decorate(SessionStore, recorded(statements))
    },
  })
  const door = await openLooking(
    async (request) =>
      isSummary(request) ? summary(request) : isTask(request) ? child(request) : next(request),
    {
      window: WINDOW,
      keep: 1,
      entries: [use(counting)],
      look: ({ page }) =>
        `${Number(page) < PLANTED ? `FINDING-${JSON.stringify(page)} ` : ''}${filler(4_000, page)}`,
    },
  )

  const events = await door.stream('Find out why checkout is slow. Report to ops@shop.example.')
  expect(typed(events, 'done')).toMatchObject([{ reason: 'model_stop' }])
  expect(samples).toHaveLength(STEPS + 1)

  const { entries } = given(
    await door.running.agent
      .as({ tenant: LOCAL_TENANT, principal: principalId('test') })
      .session(sessionId(sessionOf(events))),
  )
  const snapshots = only(entries, 'compacted')
  expect(snapshots.length).toBeGreaterThanOrEqual(10)
  expect(typed(events, 'compaction_start')).toHaveLength(snapshots.length)
  for (const { tokens_before: from = 0, tokens_after: to = Infinity } of snapshots)
    expect(to).toBeLessThan(from)
  expect(only(entries, 'child_closed').filter(({ status }) => status === 'success')).toHaveLength(
    CHILDREN,
  )
  expect(most, 'they work at the same time').toBe(BATCH)

  const last = before.join('\n')
  expect(found('FINDING', last)).toHaveLength(PLANTED)
  expect(found('CHILD', last), 'what each of them found').toHaveLength(CHILDREN)
  expect(last).toContain('Report to ops@shop.example.')

  // Nothing changes from call to call but what is appended, except where the journal says that it
  // was compacted.
  expect(anew).toBe(snapshots.length)
  expect(Math.max(...samples.map(({ chars }) => chars))).toBeLessThan(WINDOW * 4)
  // The first steps fill the window; from then on a step is a step.
  const [early, late] = [samples.slice(EVERY, EVERY * 3), samples.slice(EVERY * 3, EVERY * 5)]
  const ratio = (of: (sample: Sample) => number): number => mean(late.map(of)) / mean(early.map(of))
  const perStep = (of: readonly Sample[]): number =>
    ((of.at(-1)?.cpu ?? 0) - (of[0]?.cpu ?? 0)) / of.length
  expect(
    ratio(({ chars }) => chars),
    'what is sent',
  ).toBeLessThan(1.25)
  expect(
    ratio((sample) => sample.statements),
    'statements',
  ).toBeLessThan(1.25)
  expect(perStep(late) / perStep(early), 'processor time').toBeLessThan(2)
  const [first = 0, , third = 0] = heap
  expect((third - first) / MEGABYTE, 'the journal of 200 steps and little more').toBeLessThan(8)
}, 120_000)
