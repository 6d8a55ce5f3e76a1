import { err, Models, ok, type Generation, type Result } from '@amodal/sdk'

/** The first provider whose key is set when the agent runs. */
export const AUTO = 'auto'

/** A provider that an agent can begin with. */
export interface Starter {
  readonly name: string
  readonly model: string
  /** The variable of its key. */
  readonly variable: string
  readonly keySet: boolean
}

/** Providers that need no more than a key. */
export function startersOf(generation: Generation): readonly Starter[] {
  return [...generation.registry(Models)].flatMap(([name, provider]) => {
    const { defaultModel: model } = provider
    const { envVar: variable, keySet = false } = provider.status?.() ?? {}
    return model === undefined || variable === undefined ? [] : [{ name, model, variable, keySet }]
  })
}

/** The one of that name; `undefined` for {@link AUTO}. */
export function chosenOf(
  name: string,
  starters: readonly Starter[],
): Result<Starter | undefined, string> {
  if (name === AUTO) return ok(undefined)
  const found = starters.find((starter) => starter.name === name)
  if (found) return ok(found)
  return err(
    `there is no provider "${name}" (there are: ${[AUTO, ...starters.map((one) => one.name)].join(', ')}); any other address goes into amodal.json, as \`models.main\` with a \`baseUrl\``,
  )
}
