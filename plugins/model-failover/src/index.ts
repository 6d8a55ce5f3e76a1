import {
  Clock,
  definePlugin,
  Health,
  type HealthFact,
  type ModelCooldown,
  ModelCooldowns,
  Models,
  systemClock,
} from '@amodal/sdk'
import { z } from 'zod'
import { Cooldowns } from './cooldowns.ts'
import { Failover } from './failover.ts'
import { withChain } from './providers-form.ts'

/**
 * Switches to another model or account when one fails; retries if there is no other.
 *
 * @example
 * // amodal.json
 * { "models": { "main": {
 *   "provider": "openai", "model": "gpt-4o",
 *   "fallback": { "provider": "groq", "model": "llama-3.3-70b-versatile" }
 * } } }
 */
export const modelFailover = definePlugin({
  name: 'model-failover',
  version: '0.1.0',
  optional: { clock: Clock },
  provides: [ModelCooldowns, Health],
  config: z.strictObject({
    retries: z
      .int()
      .min(0)
      .max(10)
      .default(2)
      .describe(
        'further calls of one model for the same request, where it may go well the next time',
      ),
    baseMs: z
      .int()
      .min(1)
      .default(1_000)
      .describe(
        'ms for which a model is left alone after a first failure; doubled with each further one',
      ),
    maxMs: z
      .int()
      .min(1)
      .default(60_000)
      .describe(
        'ms to which that grows at most, whatever the provider asks for: then one call finds out',
      ),
    sessions: z
      .int()
      .min(1)
      .max(100)
      .default(3)
      .describe(
        'different sessions that have to meet a server error or a timeout before a model is left alone for all',
      ),
    jitter: z
      .number()
      .min(0)
      .max(1)
      .default(0.2)
      .describe('the part of a time that is left to chance'),
    waitMs: z
      .int()
      .min(0)
      .default(15_000)
      .describe('ms that one request waits in all where every model is left alone'),
  }),
  setup({ config, deps, add, hooks, generation }) {
    const clock = deps.clock ?? systemClock
    const cooldowns = new Cooldowns(clock, {
      ...config,
      unconfirmedMs: config.waitMs / 2,
      random: Math.random,
    })
    const failover = new Failover({ ...config, random: Math.random }, clock, cooldowns)
    hooks.bundle.load.tap((bundle) => withChain(bundle, generation().registry(Models)))
    hooks.model.route.tap((call, ctx) => failover.route(call, ctx))
    hooks.model.failed.tap((failed, call, _attempt, ctx) => failover.failed(failed, call, ctx))
    hooks.model.done.tap((call, _result, ctx) => failover.done(call, ctx))
    add(ModelCooldowns, 'model-failover', () => cooldowns.list())
    add(Health, 'model-failover', () => healthOf(cooldowns.list()))
  },
})

function healthOf(cooling: readonly ModelCooldown[]): HealthFact {
  if (cooling.length === 0) return { facts: {} }
  // What a provider says may be long: it stands with the facts.
  const problems = cooling.map(
    ({ provider, model, profile, class: kind, until }) =>
      `${provider}/${model}${profile === 'default' ? '' : ` (${profile})`} is not called until ${until} (${kind})`,
  )
  return {
    facts: { models_cooling: cooling.map((one) => ({ ...one })) },
    problem: problems.join('; '),
  }
}

export default modelFailover
