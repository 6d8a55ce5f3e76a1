import limitsPlugin from '@amodal/plugin-limits'
import modelCost from '@amodal/plugin-model-cost'
import prompt from '@amodal/plugin-prompt'
import subagents from '@amodal/plugin-subagents'
import {
  NANO,
  sessionId,
  use,
  type Manifest,
  type SequencedEntry,
  type Prompt,
  type RunId,
} from '@amodal/sdk'
import { spentIn } from '@amodal/sdk/loop'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from './support/agent.ts'
import { only } from './support/entries.ts'
import type { Asked, Reply, ScriptedCall } from './support/scripted-model.ts'
import { reads, success } from './support/tools.ts'

const RUNS = 12
const AT_ONCE = 50
const SESSIONS = 25
/** Tool calls of one sub-agent, where its file says nothing. */
const CHILD_CALLS = 10
/** Dollars for a million tokens. */
const PRICE = { input: 1, output: 4 }

const nanoOf = (input: number, output: number): number =>
  ((input * PRICE.input + output * PRICE.output) / 1_000_000) * NANO

const given = fc.record({
  limits: fc.record(
    {
      maxSessionTokens: fc.integer({ min: 500, max: 12_000 }),
      maxRunTokens: fc.integer({ min: 500, max: 8_000 }),
      maxToolCalls: fc.integer({ min: 1, max: 9 }),
      maxSessionToolCalls: fc.integer({ min: 1, max: 15 }),
      maxSessionCost: fc.double({ min: 0.001, max: 0.02, noNaN: true }),
      maxRunCost: fc.double({ min: 0.001, max: 0.015, noNaN: true }),
    },
    { requiredKeys: [] },
  ),
  shared: fc.record(
    {
      tokens: fc.integer({ min: 10_000, max: 250_000 }),
      cost: fc.double({ min: 0.02, max: 0.4, noNaN: true }),
    },
    { requiredKeys: [] },
  ),
  /** What the model does in its steps, one after another, whoever asks. */
  steps: fc.array(fc.record({ looks: fc.nat(4), tasks: fc.nat(2), words: fc.nat(300) }), {
    minLength: 3,
    maxLength: 7,
  }),
})

interface Step {
  readonly looks: number
  readonly tasks: number
  readonly words: number
}

/** A model that counts as providers do, and says no more than it may. */
class Provider {
  /** What it was used for, whoever asked. */
  tokens = 0
  cost = 0
  readonly #steps: readonly Step[]
  #asked = 0

  constructor(steps: readonly Step[]) {
    this.#steps = steps
  }

  reply({
    prompt: messages,
    toolChoice,
    tools,
    said: task,
    maxOutputTokens = Infinity,
  }: Asked): Reply {
    const { looks, tasks, words } = this.#steps[this.#asked++ % this.#steps.length] ?? {
      looks: 0,
      tasks: 0,
      words: 1,
    }
    const wanted: readonly ScriptedCall[] =
      toolChoice === 'none'
        ? []
        : [
            ...Array.from({ length: looks }, (_, n) => ({
              name: 'look',
              args: { v: `${this.#asked} ${n}` },
            })),
            ...Array.from({ length: tools.includes('dispatch_task') ? tasks : 0 }, (_, n) => ({
              name: 'dispatch_task',
              args: { prompt: `Part ${this.#asked}-${n} of ${task.slice(0, 20)}` },
            })),
          ]
    const callTokens = wanted.reduce(
      (sum, { name, args }) => sum + tokensOf(callText(name, args)),
      0,
    )
    const calls = callTokens <= maxOutputTokens ? wanted : []
    const said = calls.length > 0 ? callTokens : 0
    const output = Math.min(words + 1 + said, maxOutputTokens)
    const text = 'word'.repeat(output - said)
    const input = inputOf(messages)
    this.tokens += input + output
    this.cost += nanoOf(input, output)
    return { text, calls, tokens: { input, output } }
  }
}

const BYTES_PER_TOKEN = 4
/** Around each message, each result of a tool, and the beginning of a reply. */
const FRAME = 3
const tokensOf = (text: string): number => Math.ceil(text.length / BYTES_PER_TOKEN)

const inputOf = (messages: Prompt): number =>
  messages.reduce((sum, { role, content }) => {
    const frame = role === 'tool' ? 0 : FRAME
    return (
      sum +
      frame +
      (typeof content === 'string'
        ? tokensOf(content)
        : content.reduce((all, part) => {
            switch (part.type) {
              case 'text':
                return all + tokensOf(part.text)
              case 'tool-call':
                return all + tokensOf(callText(part.toolName, part.input))
              case 'tool-result':
                return all + FRAME + tokensOf(JSON.stringify(part.output))
              default:
                return all
            }
          }, 0))
    )
  }, FRAME)
const callText = (name: string, args: unknown): string => `${name}${JSON.stringify(args)}`

interface Took {
  readonly tokens: number
  readonly cost: number
}
const tookBy = (entries: readonly SequencedEntry[]): Took =>
  entries
    .flatMap((entry) => (entry.kind === 'child_closed' ? entry : (spentIn(entry) ?? [])))
    .reduce(
      (sum, { usage, cost = 0 }) => ({
        tokens: sum.tokens + usage.input + usage.output,
        cost: sum.cost + cost,
      }),
      { tokens: 0, cost: 0 },
    )

async function started(
  limits: Manifest['limits'],
  shared: object,
  provider: Provider,
  executed: Map<RunId, number>,
): Promise<TestAgent> {
  return startTestAgent({
    limits: { maxTurns: 12, ...limits },
    script: (asked) => provider.reply(asked),
    tools: [
      reads('look', ({ v = null }, { run }) => {
        executed.set(run, (executed.get(run) ?? 0) + 1)
        return success({ seen: v, more: 'x'.repeat(300) })
      }),
    ],
    plugins: [
      use(prompt),
      use(subagents, { parallel: 2 }),
      use(modelCost, { prices: { 'scripted-1': PRICE } }),
      use(limitsPlugin, {
        messages: { perMinute: null, perHour: null },
        runs: { concurrent: null },
        ...(Object.keys(shared).length > 0 && { budgets: { principal: shared, waitSeconds: 1 } }),
      }),
    ],
  })
}

test('50 runs of one person at once, with sub-agents: no budget is overshot', async () => {
  const reasons = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(given, async ({ limits, shared, steps }) => {
      const provider = new Provider(steps)
      const executed = new Map<RunId, number>()
      const agent = await started(limits, shared, provider, executed)
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) =>
          agent.say(`Task ${n}`, sessionId(`sess_${n % SESSIONS}`), { create: true }),
        ),
      )

      let all: Took = { tokens: 0, cost: 0 }
      for (let n = 0; n < SESSIONS; n++) {
        const entries = await agent.journal(sessionId(`sess_${n}`))
        const session = tookBy(entries)
        all = { tokens: all.tokens + session.tokens, cost: all.cost + session.cost }
        expect(session.tokens, 'tokens of a session').toBeLessThanOrEqual(
          limits.maxSessionTokens ?? Infinity,
        )
        expect(session.cost, 'cost of a session').toBeLessThanOrEqual(
          (limits.maxSessionCost ?? Infinity) * NANO,
        )
        for (const { run, reason } of only(entries, 'run_ended')) {
          reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
          const own = tookBy(entries.filter((entry) => entry.run === run))
          expect(own.tokens, 'tokens of a run').toBeLessThanOrEqual(limits.maxRunTokens ?? Infinity)
          expect(own.cost, 'cost of a run').toBeLessThanOrEqual(
            (limits.maxRunCost ?? Infinity) * NANO,
          )
          expect(executed.get(run) ?? 0, 'tool calls of a run').toBeLessThanOrEqual(
            limits.maxToolCalls ?? Infinity,
          )
        }
        const toolCalls = only(entries, 'run_ended').reduce(
          (sum, { run }) => sum + (executed.get(run) ?? 0),
          0,
        )
        expect(toolCalls, 'tool calls of a session').toBeLessThanOrEqual(
          limits.maxSessionToolCalls ?? Infinity,
        )
        for (const { child } of only(entries, 'child_opened')) {
          const inside = await agent.face.session(child)
          const runs = inside.ok ? inside.value.entries.map(({ run }) => run) : []
          for (const run of new Set(runs))
            expect(executed.get(run) ?? 0, 'tool calls of a sub-agent').toBeLessThanOrEqual(
              CHILD_CALLS,
            )
        }
      }
      expect(provider.tokens, 'tokens of the person').toBeLessThanOrEqual(shared.tokens ?? Infinity)
      expect(provider.cost, 'cost of the person').toBeLessThanOrEqual(
        (shared.cost ?? Infinity) * NANO,
      )
      expect(all.tokens, 'every call is counted, and once').toBe(provider.tokens)
      expect(all.cost).toBeCloseTo(provider.cost, -2)
      await agent.close()
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
  expect(reasons.get('budget_exceeded'), 'budgets that ran out').toBeGreaterThan(RUNS)
  expect(reasons.get('model_stop'), 'runs that ended well').toBeGreaterThan(RUNS)
}, 120_000)
