import {
  type AgentBundle,
  type BundleIssue,
  type Generation,
  messageOf,
  type ToolDefinition,
  Tools,
  type ToolSource,
  trySync,
} from '@amodal/sdk'
import { compare, TAKEN_FIX, TakenNames, takenMessage } from '@amodal/sdk/files'

/** The names of tools that every provider accepts. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/

interface Claim {
  readonly source: string
  readonly tool: ToolDefinition
  /** Precedence of names: 0 plugins, 1 files, 2 external sources. */
  readonly rank: 0 | 1 | 2
}

export interface NamedTools {
  /** In the order of their sources. */
  readonly tools: readonly ToolDefinition[]
  /** One issue for each excluded tool or file. */
  readonly issues: readonly BundleIssue[]
}

/** Whether the tools of a source change over time, such as those of a server. */
const isElsewhere = (source: ToolSource): boolean =>
  source.revision !== undefined || source.settled !== undefined

/**
 * The tools of all sources with unique names. A tool whose name is taken is excluded together with
 * the other tools of its file, which may depend on each other.
 */
export function namedTools(generation: Generation, bundle: AgentBundle): NamedTools {
  return named(
    [...generation.registry(Tools)].flatMap(([name, source]) =>
      claimsOf(name, source, source.tools(bundle)),
    ),
  )
}

/**
 * Adds issues about the names in files. External sources are skipped, since a check connects to
 * nothing; sources that fail are reported elsewhere.
 */
export function addNameIssues(
  bundle: AgentBundle,
  generation: Generation,
  issues: BundleIssue[],
): void {
  issues.push(...knownNames(generation, bundle).issues)
}

/**
 * The tools of an agent with these files that are known without connecting to anything: those of
 * MCP servers are not included.
 *
 * @param bundle as plugins have read it; it need not be the one in use
 * @returns each name once, in the order of their sources; a source that fails has none
 * @example
 * const names = knownTools(generation(), bundle).map(({ name }) => name)
 */
export const knownTools = (
  generation: Generation,
  bundle: AgentBundle,
): readonly ToolDefinition[] => knownNames(generation, bundle).tools

function knownNames(generation: Generation, bundle: AgentBundle): NamedTools {
  return named(
    [...generation.registry(Tools)].flatMap(([name, source]) => {
      if (isElsewhere(source)) return []
      const tools = trySync(() => source.tools(bundle), messageOf)
      return tools.ok ? claimsOf(name, source, tools.value) : []
    }),
  )
}

function claimsOf(
  name: string,
  source: ToolSource,
  tools: readonly ToolDefinition[],
): readonly Claim[] {
  return tools.map((tool): Claim => {
    if (isElsewhere(source)) return { source: name, tool, rank: 2 }
    return { source: name, tool, rank: tool.file === undefined ? 0 : 1 }
  })
}

function named(claims: readonly Claim[]): NamedTools {
  const names = new TakenNames()
  const leftOut = new Set<Claim>()
  const issues: BundleIssue[] = []
  for (const part of [...partsOf(claims)].sort(([a], [b]) => byPrecedence(a, b))) {
    const issue = problemOf(part, names)
    if (!issue) continue
    issues.push(issue)
    for (const claim of part) leftOut.add(claim)
  }
  const tools = claims.filter((claim) => !leftOut.has(claim)).map(({ tool }) => tool)
  return { tools, issues }
}

/** Files are ordered by path, independent of the plugin that reads them. */
function byPrecedence(a: Claim | undefined, b: Claim | undefined): number {
  if (!a || !b || a.rank !== b.rank) return (a?.rank ?? 0) - (b?.rank ?? 0)
  return a.rank === 1 ? compare(a.tool.file ?? '', b.tool.file ?? '') : 0
}

/** Groups the tools that are excluded together: those of one file, and each other tool alone. */
function partsOf(claims: readonly Claim[]): Iterable<readonly Claim[]> {
  const parts = new Map<string, Claim[]>()
  for (const [index, claim] of claims.entries()) {
    const { source, tool } = claim
    const key = JSON.stringify([source, tool.file ?? index])
    parts.set(key, [...(parts.get(key) ?? []), claim])
  }
  return parts.values()
}

function problemOf(part: readonly Claim[], names: TakenNames): BundleIssue | undefined {
  const [first] = part
  if (!first) return undefined
  const {
    source,
    tool: { file },
  } = first
  const place = file === undefined ? {} : { file, line: 1 }
  const invalid = part.find(({ tool }) => !TOOL_NAME.test(tool.name))
  if (invalid)
    return {
      severity: 'error',
      code: 'BAD_REPO',
      message: `"${invalid.tool.name}" cannot be the name of a tool; it is left out`,
      ...place,
      fix: 'use up to 64 letters, digits, _ and -',
    }
  const taken = names.take(
    part.map(({ tool }) => tool.name),
    file ?? `the source of tools "${source}"`,
  )
  return (
    taken && {
      severity: 'error',
      code: 'DUPLICATE_NAME',
      message: takenMessage(
        file === undefined ? `the source of tools "${source}"` : 'this file',
        taken,
      ),
      ...place,
      fix: TAKEN_FIX,
    }
  )
}
