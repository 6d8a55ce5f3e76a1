import { isObject, type Json, type JsonObject } from '@amodal/sdk'
import type { Path } from '@amodal/sdk/files'

/**
 * Fields of `amodal.json` that a variant may have. Everything else is refused, so that a guard that
 * comes with a later release cannot be varied either.
 */
const FIELDS: readonly string[] = ['description', 'userContext', 'models', 'limits', 'plugins']
/** Of `limits`: what shapes an answer. All other limits protect. */
const LIMITS: readonly string[] = ['temperature', 'maxTokens', 'maxHistory']
/** Of `models.*`: where a model is and with which key stays as the agent has it. */
const MODEL: readonly string[] = [
  'provider',
  'model',
  'temperature',
  'maxTokens',
  'topP',
  'seed',
  'effort',
  'thinking',
]
/** Plugins that decide how much of the agent's texts the model sees; none of them guards. */
const PLUGINS: Readonly<Record<string, readonly string[]>> = {
  skills: ['inlineTokens'],
  knowledge: ['eagerTokens'],
  prompt: ['window', 'windows'],
}

/** A setting that no variant may have. */
export interface Guarded {
  readonly path: Path
  readonly why: string
}

/** The settings of a variant that it may not have. */
export function guardedSettings(settings: JsonObject): readonly Guarded[] {
  return Object.entries(settings).flatMap(([name, value]): readonly Guarded[] => {
    if (!FIELDS.includes(name)) return [refused([name], FIELDS)]
    if (name === 'limits') return inside([name], value, LIMITS)
    if (name === 'models')
      return entries(value).flatMap(([tier, model]) => inside([name, tier], model, MODEL))
    if (name !== 'plugins') return []
    return entries(value).flatMap(([plugin, config]) =>
      Object.hasOwn(PLUGINS, plugin)
        ? inside([name, plugin], config, PLUGINS[plugin] ?? [])
        : [refused([name, plugin], Object.keys(PLUGINS))],
    )
  })
}

const entries = (value: Json): readonly [string, Json][] =>
  isObject(value) ? Object.entries(value) : []

const inside = (at: Path, value: Json, allowed: readonly string[]): readonly Guarded[] =>
  isObject(value)
    ? Object.keys(value).flatMap((name) =>
        allowed.includes(name) ? [] : [refused([...at, name], allowed)],
      )
    : [{ path: at, why: 'an object is needed' }]

const refused = (path: Path, allowed: readonly string[]): Guarded => ({
  path,
  why: `may protect the agent, so no variant changes it; here a variant may have: ${allowed.join(', ')}`,
})
