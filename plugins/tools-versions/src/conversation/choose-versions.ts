import { ok, type Failure, type Json, type Result, type RunContext } from '@amodal/sdk'
import { stateValuesOf } from '@amodal/plugin-live-state/tokens'
import type { VersionStore } from '../storage/version-store.ts'
import { compareVersions, parseConstraint, versionText } from '../versions.ts'
import type { OrgToolEntry } from './org-tool-entries.ts'
import type { Pin } from './pins.ts'

/** Versions for a run, and the tools that it does without since none fits. */
export interface ChosenVersions {
  readonly pins: readonly Pin[]
  readonly missing: readonly OrgToolEntry[]
}

/** The highest published version that fits each entry whose `when` holds. */
export async function chooseVersions(
  entries: readonly OrgToolEntry[],
  ctx: RunContext,
  versions: VersionStore,
): Promise<Result<ChosenVersions, Failure>> {
  const wanted = entries.filter(({ when }) => holds(when, ctx))
  if (wanted.length === 0) return ok({ pins: [], missing: [] })
  const published = await versions.published(
    wanted.map(({ tool }) => tool),
    ctx.signal,
  )
  if (!published.ok) return published
  const pins = new Map<string, Pin>()
  for (const { tool: name, version } of wanted) {
    const constraint = parseConstraint(version)
    const newest = published.value
      .filter((row) => row.name === name && constraint.ok && constraint.value(versionText(row)))
      .toSorted(compareVersions)
      .at(-1)
    if (newest) pins.set(name, { name, tool: newest.tool, version: versionText(newest) })
  }
  const missing = wanted.filter(({ tool }) => !pins.has(tool))
  return ok({ pins: [...pins.values()], missing })
}

/** Whether each property of the state has one of these values. */
function holds(when: OrgToolEntry['when'], ctx: RunContext): boolean {
  const conditions = Object.entries(when)
  if (conditions.length === 0) return true
  const state = stateValuesOf(ctx)
  return conditions.every(([name, allowed]) =>
    allowed.some((value) => isSame(value, state[name] ?? null)),
  )
}

const isSame = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b)
