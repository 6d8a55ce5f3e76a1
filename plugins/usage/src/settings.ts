import type { AgentBundle, JsonObject } from '@amodal/sdk'
import { Issues, manifestFile, shaped, warnUnknown } from '@amodal/sdk/files'
import { z } from 'zod'

const BLOCK = 'usage'
const PART = 'usage-settings'
const DAY = 86_400_000

const shape = z.looseObject({
  usage: z.looseObject({ days: z.int().min(1).max(3_650).exactOptional() }),
})

/** `usage` of `amodal.json`. */
export interface UsageSettings {
  /** For which a row stays after its run has ended. */
  readonly days: number
}

const DEFAULTS: UsageSettings = { days: 400 }

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
  const settings: JsonObject | undefined = read && { ...DEFAULTS, ...read }
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted()],
    parts: { ...bundle.parts, ...(settings && { [PART]: settings }) },
  }
}

/** What {@link readSettings} has read, or the defaults. */
const settingsOf = (bundle: Pick<AgentBundle, 'parts'> | undefined): UsageSettings =>
  (bundle?.parts[PART] as UsageSettings | undefined) ?? DEFAULTS // written by `readSettings`

/** ms since the epoch: runs that ended before have no row. */
export const keptSince = (bundle: AgentBundle | undefined, now: number): number =>
  now - settingsOf(bundle).days * DAY
