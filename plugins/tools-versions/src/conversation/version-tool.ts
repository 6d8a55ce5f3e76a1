import { err, type Failure, type Result, type ToolContext, type ToolDefinition } from '@amodal/sdk'
import { checkOf } from '@amodal/plugin-tools-custom/tokens'
import { MOST_OUTPUT_CHARS, type Invocation } from '../running/tool-runner.ts'
import type { VersionRow } from '../tables.ts'
import type { JsonObject } from '@amodal/sdk'
import type { OrgToolEntry } from './org-tool-entries.ts'
import type { Pin } from './pins.ts'

/** Runs the version of a pin for a call. */
export type RunVersion = (
  pin: Pin,
  version: VersionRow,
  input: JsonObject,
  ctx: ToolContext,
) => Promise<Result<Invocation, Failure>>

/** ms that recording a run may take around the run itself. */
const RECORDING_MS = 30_000
const TIERS = { false: 'allow', true: 'confirm', review: 'review' } as const

/** A published version as the loop calls it. */
export function versionTool(
  pin: Pin,
  entry: OrgToolEntry,
  version: VersionRow,
  { run, timeoutMs }: { readonly run: RunVersion; readonly timeoutMs: number },
): ToolDefinition {
  const check = checkOf(version.input)
  const { instruction, resultPersistence, readOnly, confirm } = entry
  const description = version.description === '' ? pin.name : version.description
  return Object.freeze({
    name: pin.name,
    description: instruction === undefined ? description : `${description}\n\n${instruction}`,
    parameters: version.input,
    parse: check.ok ? check.value : () => err(`its input cannot be checked: ${check.error}`),
    readOnly,
    tier: TIERS[`${confirm}`],
    resultPersistence,
    timeoutMs: timeoutMs + RECORDING_MS,
    outputChars: MOST_OUTPUT_CHARS,
    // an approval holds for this very code
    digest: `${pin.tool}@${pin.version} ${version.archive}`,
    file: `${pin.name} ${pin.version}`,
    async execute(args, ctx) {
      const ran = await run(pin, version, args, ctx)
      const outcome = ran.ok ? ran.value.outcome : ran
      if (outcome.ok) return { status: 'success', output: outcome.value }
      const { code, message } = outcome.error
      return { status: 'error', code, message }
    },
  } satisfies ToolDefinition)
}
