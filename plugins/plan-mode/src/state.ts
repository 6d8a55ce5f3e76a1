import { isObject, type Json, type JsonObject, type RunContext } from '@amodal/sdk'

export const KEY = 'plan-mode'

/** The session state of this plugin. `run`: the one whose plan was approved. */
interface PlanState {
  readonly active: boolean
  readonly plan?: string
  readonly run?: string
}
type Place = Pick<RunContext, 'sessionState' | 'run' | 'bundle'>

/** `always`: a plan counts for its own run only, and no message switches plan mode off. */
export function isPlanning(place: Place, always: boolean): boolean {
  const state = stateOf(place)
  if (isAlways(place, always)) return state?.active !== false || state.run !== place.run
  return state?.active ?? false
}

/** The approved plan, if it still applies. */
export function planOf(place: Place, always: boolean): string | undefined {
  return isPlanning(place, always) ? undefined : stateOf(place)?.plan
}

export const entering: JsonObject = { [KEY]: { active: true } }
export const approved = (plan: string, run: string): JsonObject => ({
  [KEY]: { active: false, plan, run },
})

const isAlways = ({ bundle }: Place, always: boolean): boolean =>
  always || fieldOf(bundle.manifest.raw['security'], 'planMode') === 'always'

function stateOf({ sessionState }: Place): PlanState | undefined {
  const kept = sessionState[KEY]
  const active = fieldOf(kept, 'active')
  const plan = fieldOf(kept, 'plan')
  const run = fieldOf(kept, 'run')
  return typeof active === 'boolean'
    ? {
        active,
        ...(typeof plan === 'string' ? { plan } : {}),
        ...(typeof run === 'string' ? { run } : {}),
      }
    : undefined
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
