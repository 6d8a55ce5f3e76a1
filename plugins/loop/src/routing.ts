import { err, failure, type Failure, type Manifest, type ModelCall, type ModelConfig, ok, type Result, sleep } from '@amodal/sdk'
import type { LoopTurn } from './loop-turn.ts'

/** Where an attempt goes, and what is sent there: asked anew for each attempt, since another model may need other marks. */
export async function routed(asked: ModelCall, turn: LoopTurn): Promise<Result<ModelCall, Failure>> {
  const { hooks } = turn
  const config = await route(asked, turn)
  if (!config.ok) return config
  const call = config.value === asked.config ? asked : withConfig(asked, config.value, limitsOf(asked, turn))
  if (!hooks.model.call.tapped) return ok(call)
  const changed = await hooks.model.call.call(call, turn)
  return changed.ok ? changed : err(changed.error.toFailure())
}

async function route(call: ModelCall, turn: LoopTurn): Promise<Result<ModelConfig, Failure>> {
  const { hooks, parts } = turn
  while (hooks.model.route.tapped && turn.stopped === undefined) {
    const said = await hooks.model.route.call(call, turn)
    if (!said.ok) return err(said.error.toFailure())
    const verdict = said.value
    if (!verdict) break
    // A request may name another model of the same provider's account.
    if (!('action' in verdict)) return ok({ ...(verdict.provider === call.config.provider ? call.config : {}), ...verdict })
    switch (verdict.action) {
      case 'use': return ok(verdict.config)
      case 'stop': return err(failure('MODEL_FAILED', verdict.reason))
      case 'wait':
        parts.alive(verdict.afterMs)
        await sleep(verdict.afterMs, turn.signal)
    }
  }
  return ok(call.config)
}

/** The call with another configuration: settings that came of the old one come of the new one. */
export function withConfig(call: ModelCall, config: ModelConfig, limits: Manifest['limits']): ModelCall {
  const { temperature: _temperature, maxOutputTokens: _maxOutputTokens, ...settings } = call.settings
  return { ...call, config, settings: { ...settings, ...settingsOf(config, limits) } }
}

/** What the model's configuration leaves open is as the agent has it. */
export function settingsOf(config: ModelConfig, limits: Manifest['limits']): ModelCall['settings'] {
  const temperature = config.temperature ?? limits.temperature
  const maxOutputTokens = config.maxTokens ?? limits.maxTokens
  return { ...(temperature === undefined ? {} : { temperature }), ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }) }
}

/** The agent's own settings are for what it says; summaries and reviews have theirs. */
export const limitsOf = ({ aside }: Pick<ModelCall, 'aside'>, { bundle }: LoopTurn): Manifest['limits'] => (aside ? {} : bundle.manifest.limits)
