import { Usage, type CallSums, type StoredRun } from '@amodal/plugin-usage/tokens'
import { definePlugin, LOCAL_TENANT, use, type Entry } from '@amodal/sdk'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MODELS = ['anthropic/claude-sonnet-4-5', 'openai/gpt-5-mini', 'google/gemini-2.5-flash']
const TOOLS = ['request', 'query_store', 'load_knowledge', 'present', 'dispatch_task']
const AUTOMATIONS = ['morning-report', 'sla-watch']

/** Numbers that look random, and are the same each time. */
const spread = (n: number, most: number): number => (Math.imul(n + 7, 2_654_435_761) >>> 8) % most

const callsOf = (name: string, n: number, price: number): CallSums => {
  const calls = 1 + spread(n, 4)
  const input = calls * (1_500 + spread(n + 1, 6_000))
  const output = calls * (100 + spread(n + 2, 900))
  return {
    name,
    calls,
    errors: n % 23 === 0 ? 1 : 0,
    input,
    output,
    cacheRead: Math.round(input * (spread(n, 70) / 100)),
    cacheWrite: 0,
    cost: price === 0 ? null : Math.round((input + 5 * output) * price),
    unpriced: 0,
    times: Array.from({ length: calls }, (_, call) => 600 + spread(n * 31 + call, 5_000)),
  }
}

/** A run of some days ago, whose facts follow from its number. */
function runOf(n: number, now: number): StoredRun {
  const place = n % 7 < 4 ? 0 : n % 7 < 6 ? 1 : 2
  const model = callsOf(MODELS[place] ?? '', n, [3_000, 250, 300][place] ?? 0)
  const tool = callsOf(TOOLS[n % TOOLS.length] ?? '', n + 5, 0)
  const automation = n % 4 === 0 ? (AUTOMATIONS[(n >> 2) % 2] ?? null) : null
  const endedAt = now - spread(n, 29) * DAY - spread(n + 3, 20) * HOUR
  const modelMs = model.times.reduce((sum, ms) => sum + ms, 0)
  const { calls, errors, name: _, times: __, ...sums } = model
  return {
    ...sums,
    tenant: LOCAL_TENANT,
    run: `run_seed${n}`,
    session: `sess_seed${n % 60}`,
    principal: automation === null ? `person${n % 5}` : `automation:${automation}`,
    agent: n % 5 === 0 ? 'researcher' : 'main',
    automation,
    profile: null,
    startedAt: endedAt - modelMs - 400,
    endedAt,
    ms: modelMs + 400 + spread(n, 2_000),
    waitedMs: 0,
    modelMs,
    reason: n % 29 === 0 ? 'error' : 'model_stop',
    error: n % 29 === 0 ? 'MODEL_FAILED' : null,
    calls,
    callErrors: errors,
    models: [model],
    tools: [{ ...tool, input: 0, output: 0, cacheRead: 0, cost: null }],
    seq: n,
  }
}

/** A plugin that writes the rows of so many runs of the last 30 days before the server listens. */
export const seededUsage = (runs: number): Entry =>
  use(
    definePlugin({
      name: 'seeded-usage',
      version: '1.0.0',
      requires: { usage: Usage },
      setup({ deps, onBoot }) {
        onBoot(async () => {
          const now = Date.now()
          const added = await deps.usage.add(
            Array.from({ length: runs }, (_, n) => runOf(n, now)),
            AbortSignal.timeout(60_000),
          )
          if (!added.ok) throw new Error(added.error.message)
          return undefined
        })
      },
    }),
  )
