import type { AgentBundle, JsonObject } from '@amodal/sdk'
import { Issues, manifestFile, placeOf, shaped, warnUnknown } from '@amodal/sdk/files'
import { z } from 'zod'

const BLOCK = 'usage'
const PART = 'usage-settings'
const DAY = 86_400_000

const MOST_BUDGETS = 50
const MOST_PERCENT = 1_000

const name = z.string().min(1).max(300)
const Budget = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be small letters, digits and -, with a letter first'),
  dollars: z.number().positive(),
  per: z.enum(['day', 'month']).default('month'),
  alertAt: z.array(z.number().positive().max(MOST_PERCENT)).min(1).max(10).default([50, 80, 100]),
  agent: name.exactOptional(),
  model: name.exactOptional(),
  tool: name.exactOptional(),
  principal: name.exactOptional(),
  automation: name.exactOptional(),
})
/** A sum that nobody wants to exceed unawares. It stops nothing. */
export type Budget = z.output<typeof Budget>

const shape = z.looseObject({
  usage: z.looseObject({
    days: z.int().min(1).max(3_650).exactOptional(),
    budgets: z.array(Budget).max(MOST_BUDGETS).exactOptional(),
  }),
})

/** `usage` of `amodal.json`. */
export interface UsageSettings {
  /** For which a row stays after its run has ended. */
  readonly days: number
  readonly budgets: readonly Budget[]
}

const DEFAULTS: UsageSettings = { days: 400, budgets: [] }

/**
 * Reads `usage` of `amodal.json`; every problem is named with its line.
 *
 * @returns the bundle with its settings, or `undefined` where it has none
 */
export async function readSettings(bundle: AgentBundle): Promise<AgentBundle | undefined> {
  if ((bundle.manifest.raw['usage'] ?? null) === null) return undefined
  const issues = new Issues()
  const json = await manifestFile(bundle)
  warnUnknown(json, [BLOCK], Object.keys(DEFAULTS), issues)
  const read = shaped(shape, json, [], issues)?.usage
  const { budgets = [] } = read ?? {}
  for (const [index, budget] of budgets.entries())
    if (budgets.findIndex((one) => one.name === budget.name) < index)
      issues.error('BAD_REPO', `two budgets are called "${budget.name}"`, {
        ...placeOf(json, [BLOCK, 'budgets', index, 'name']),
        fix: 'give one of them another name',
      })
  const settings: JsonObject | undefined = read && {
    days: read.days ?? DEFAULTS.days,
    budgets: budgets.map((budget) => ({ ...budget })),
  }
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted()],
    parts: { ...bundle.parts, ...(settings && { [PART]: settings }) },
  }
}

/** What {@link readSettings} has read, or the defaults. */
const settingsOf = (bundle: Pick<AgentBundle, 'parts'> | undefined): UsageSettings =>
  (bundle?.parts[PART] as UsageSettings | undefined) ?? DEFAULTS // written by `readSettings`

/** Budgets that the agent's files declare. */
export const budgetsOf = (bundle: AgentBundle | undefined): readonly Budget[] =>
  settingsOf(bundle).budgets

/** ms since the epoch: runs that ended before have no row. */
export const keptSince = (bundle: AgentBundle | undefined, now: number): number =>
  now - settingsOf(bundle).days * DAY
