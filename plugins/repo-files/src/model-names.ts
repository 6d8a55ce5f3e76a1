import { isObject, type Json, type JsonObject } from '@amodal/sdk'
import {
  placeOf,
  unknownReference,
  valueAt,
  type Issues,
  type JsonFile,
  type Path,
} from '@amodal/sdk/files'

/** Names of models that one provider alone has. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt-\d|chatgpt-|o[134](?:-|$))/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'google'],
]

const providerOf = (model: Json | undefined): string | undefined =>
  typeof model === 'string' ? FAMILIES.find(([name]) => name.test(model))?.[1] : undefined

/**
 * A model as it may be written in short, in full: `"gpt-4o"`, or `{ "model": "gpt-4o" }` without a
 * provider where the name leaves no doubt. Anything else stays as it is.
 */
function inFull(written: Json | undefined): Json | undefined {
  const model = typeof written === 'string' ? { model: written } : written
  if (!isObject(model) || model['baseUrl'] !== undefined) return written
  const provider = model['provider'] ?? providerOf(model['model'])
  const full = provider === undefined ? model : { ...model, provider }
  const fallback = inFull(full['fallback'])
  return fallback === undefined ? full : { ...full, fallback }
}

/** A manifest with each of its models written in full, at the lines where they stand. */
export function withFullModels(
  json: JsonFile<JsonObject>,
  tiers: readonly string[],
): JsonFile<JsonObject> {
  const { value } = json
  const models = value['models']
  const full = isObject(models)
    ? Object.fromEntries(
        Object.entries(models).map(([tier, model]) => [
          tier,
          tiers.includes(tier) ? (inFull(model) ?? model) : model,
        ]),
      )
    : models
  const short = value['provider'] === undefined ? inFull(value) : value
  return {
    ...json,
    value: {
      ...(isObject(short) ? short : value),
      ...(full !== undefined && { models: full }),
    },
  }
}

/** What to write where a model has no provider, and its name does not say which. */
export function missingProvider(
  json: JsonFile,
  at: Path,
  providers: readonly string[],
  issues: Issues,
): boolean {
  const model = valueAt(json.value, [...at, 'model'])
  if (typeof model !== 'string' || valueAt(json.value, [...at, 'provider']) !== undefined)
    return false
  const names = providers.length === 0 ? 'openai, anthropic, google' : providers.join(', ')
  issues.error('BAD_REPO', `"${model}" does not say whose model it is: \`provider\` is missing`, {
    ...placeOf(json, [...at, 'model']),
    fix: `write "provider": "…" beside "model": "${model}", with one of: ${names}`,
  })
  return true
}

/**
 * Tells of a provider that no plugin has; one with an address of its own is a compatible endpoint.
 *
 * @param providers those that there are; none: it is not known which
 */
export function checkProvider(
  json: JsonFile,
  at: Path,
  providers: readonly string[],
  issues: Issues,
): void {
  const name = valueAt(json.value, [...at, 'provider'])
  const hasAddress = valueAt(json.value, [...at, 'baseUrl']) !== undefined
  if (typeof name !== 'string' || hasAddress || providers.length === 0 || name === 'failover')
    return
  const message = `there is no model provider "${name}"`
  const otherwise = `use one of: ${providers.join(', ')}; or set the \`baseUrl\` of a compatible endpoint`
  const found = unknownReference(
    { name, message, ...placeOf(json, [...at, 'provider']) },
    providers,
    otherwise,
  )
  if (found) issues.warn('NO_MODEL', found.message, found)
}
