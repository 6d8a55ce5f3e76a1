import {
  err,
  failure,
  type Failure,
  type Manifest,
  type ModelCall,
  type ModelConfig,
  ok,
  type Result,
  sleep,
} from '@amodal/sdk'
import type { LoopTurn } from '../run/loop-turn.ts'

/**
 * Routes an attempt and applies the taps of `model.call`, for each attempt anew, since another
 * model may need other settings.
 */
export async function routed(
  unrouted: ModelCall,
  turn: LoopTurn,
): Promise<Result<ModelCall, Failure>> {
  const { hooks } = turn
  const route = await routeOf(unrouted, turn)
  if (!route.ok) return route
  const { config, profile } = route.value
  const configured =
    config === unrouted.config ? unrouted : withConfig(unrouted, config, limitsOf(unrouted, turn))
  const call = profile === undefined ? configured : { ...configured, profile }
  if (!hooks.model.call.tapped) return ok(call)
  const changed = await hooks.model.call.call(call, turn)
  return changed.ok ? changed : err(changed.error.toFailure())
}

interface Route {
  readonly config: ModelConfig
  readonly profile?: string | undefined
}

async function routeOf(call: ModelCall, turn: LoopTurn): Promise<Result<Route, Failure>> {
  const { hooks, parts } = turn
  while (hooks.model.route.tapped && turn.stopped === undefined) {
    const decision = await hooks.model.route.call(call, turn)
    if (!decision.ok) return err(decision.error.toFailure())
    const verdict = decision.value
    if (!verdict) break
    // A verdict may name another model of the same provider's account.
    if (!('action' in verdict))
      return ok({
        config: { ...(verdict.provider === call.config.provider ? call.config : {}), ...verdict },
      })
    switch (verdict.action) {
      case 'use':
        return ok({ config: verdict.config, profile: verdict.profile })
      case 'stop':
        return err(failure('MODEL_FAILED', verdict.reason))
      case 'wait':
        parts.alive(verdict.afterMs)
        await sleep(verdict.afterMs, turn.signal)
    }
  }
  return ok({ config: call.config })
}

/** Replaces the configuration of a call and the settings that derive from it. */
export function withConfig(
  call: ModelCall,
  config: ModelConfig,
  limits: Manifest['limits'],
): ModelCall {
  const {
    temperature: _temperature,
    maxOutputTokens: _maxOutputTokens,
    topP: _topP,
    seed: _seed,
    reasoning: _reasoning,
    responseFormat: _responseFormat,
    ...settings
  } = call.settings
  return { ...call, config, settings: { ...settings, ...settingsOf(config, limits, call.aside) } }
}

/** The settings of the model's configuration, with those of the agent as defaults. */
export function settingsOf(
  config: ModelConfig,
  limits: Manifest['limits'],
  isSideCall = false,
): ModelCall['settings'] {
  const { topP, seed, effort, responseSchema } = config
  const temperature = config.temperature ?? limits.temperature
  const maxOutputTokens = config.maxTokens ?? limits.maxTokens
  return {
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(topP !== undefined && { topP }),
    ...(seed !== undefined && { seed }),
    ...(effort !== undefined && { reasoning: effort }),
    // Calls outside of the conversation have their own response format.
    ...(responseSchema &&
      !isSideCall && {
        responseFormat: { type: 'json' as const, name: 'answer', schema: responseSchema },
      }),
  }
}

/** The agent's settings apply to the conversation only; side requests have their own. */
export const limitsOf = (
  { aside }: Pick<ModelCall, 'aside'>,
  { bundle }: LoopTurn,
): Manifest['limits'] => (aside ? {} : bundle.manifest.limits)
