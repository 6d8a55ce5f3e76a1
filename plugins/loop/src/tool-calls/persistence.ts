import {
  isPrivateTool,
  matchesWildcard,
  type Persistence,
  type PreparedCall,
  type RunContext,
  type ToolResult,
} from '@amodal/sdk'

/** Characters from which a result is too large to remain in the conversation. */
const LARGE = 5_000

/**
 * How long a result remains in the conversation: set by the result, else by `amodal.json` for the
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

/** Whether a result is stored in the journal only, and its progress is suppressed. */
export const isPrivate = (
  { tool }: PreparedCall,
  { bundle }: Pick<RunContext, 'bundle'>,
): boolean => isPrivateTool(tool, bundle.manifest)

/**
 * The result as it may remain in the conversation. Decided before the commit, so that restarts,
 * forks and replays agree.
 */
export function persisted(
  result: ToolResult,
  call: PreparedCall,
  ctx: Pick<RunContext, 'bundle'>,
): { readonly result: ToolResult; readonly ephemeral: boolean } {
  if (result.status !== 'success') return { result, ephemeral: false }
  const persistence = persistenceOf(result, call, ctx)
  // most tools set none, so their results are not measured
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

/** The error in place of a result that is too large; the effect of the call stands. */
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
