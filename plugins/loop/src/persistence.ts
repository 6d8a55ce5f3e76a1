import {
  isPrivateTool,
  matchesWildcard,
  type Persistence,
  type PreparedCall,
  type RunContext,
  type ToolResult,
} from '@amodal/sdk'

/** Characters from which a result is too large to be kept for good. */
const LARGE = 5_000

/**
 * How long the model sees what a call gives: by this very result, else as `amodal.json` says of the
 * tool, else by the tool.
 */
function persistenceOf(
  { persistence }: Extract<ToolResult, { status: 'success' }>,
  { tool }: PreparedCall,
  { bundle }: Pick<RunContext, 'bundle'>,
): Persistence | undefined {
  const named = Object.entries(bundle.manifest.resultPersistence ?? {})
  return (
    persistence ??
    named.findLast(([pattern]) => matchesWildcard(pattern, tool.name))?.[1] ??
    tool.resultPersistence
  )
}

/**
 * Whether the journal alone keeps what a call gives, and nobody hears what it says while it runs.
 */
export const isPrivate = (
  { tool }: PreparedCall,
  { bundle }: Pick<RunContext, 'bundle'>,
): boolean => isPrivateTool(tool, bundle.manifest)

/**
 * The result as it may stand in the conversation. Decided before it is written down, so that it is
 * the same after a restart, in a fork and in a replay.
 */
export function persisted(
  result: ToolResult,
  call: PreparedCall,
  ctx: Pick<RunContext, 'bundle'>,
): { readonly result: ToolResult; readonly ephemeral: boolean } {
  if (result.status !== 'success') return { result, ephemeral: false }
  const persistence = persistenceOf(result, call, ctx)
  // most are, and are not measured
  if (persistence === undefined) return { result, ephemeral: false }
  const chars = (typeof result.output === 'string' ? result.output : JSON.stringify(result.output))
    .length
  switch (persistence) {
    case 'ephemeral':
      return { result, ephemeral: true }
    case 'persisted-preferred':
      return { result, ephemeral: chars >= LARGE }
    case 'persisted':
      return {
        result: chars < LARGE ? result : tooLarge(result, call.tool.name, chars),
        ephemeral: false,
      }
  }
}

/** It ran, and what it did is done: only what it gave is not kept. */
function tooLarge(
  { redacted }: Extract<ToolResult, { status: 'success' }>,
  tool: string,
  chars: number,
): ToolResult {
  return {
    status: 'error',
    code: 'RESULT_TOO_LARGE',
    ...(redacted && { redacted }),
    message: `"${tool}" ran, and its output of ${chars} characters is not kept: it may have fewer than ${LARGE}. Ask it for less.`,
  }
}
