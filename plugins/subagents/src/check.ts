import {
  type AgentBundle,
  type BundleIssue,
  type Generation,
  messageOf,
  ToolAliases,
  Tools,
  trySync,
} from '@amodal/sdk'
import { didYouMean } from '@amodal/sdk/files'
import { definitionsOf } from './definition.ts'
import { checkGrants } from './grants/check-grants.ts'
import { mainGrants } from './grants/grants.ts'
import { agentsOf } from './tokens.ts'
import { DISPATCH_TASK } from './dispatch-task.ts'

/**
 * Warns of unknown tool names. It is only a warning because tools of servers that have not
 * responded yet are unknown here.
 */
export function addToolIssues(
  bundle: AgentBundle,
  generation: Generation,
  issues: BundleIssue[],
): void {
  const agents = [...definitionsOf(bundle).values()].filter(
    ({ file, tools }) => file !== undefined && tools,
  )
  const hasGrants =
    mainGrants(bundle) !== undefined || agentsOf(bundle).some(({ grants }) => grants)
  if (agents.length === 0 && !hasGrants) return
  const known = namesIn(bundle, generation)
  checkGrants(bundle, known, issues)
  for (const { name, file = '', tools = [], maxDepth } of agents) {
    const line = lineOf(bundle, file, /^\s*tools\s*:/)
    for (const tool of tools.filter((one) => !known.includes(one))) {
      const meant = didYouMean(tool, known)
      issues.push({
        severity: 'warning',
        code: 'NOT_FOUND',
        message: `there is no tool "${tool}" for the agent "${name}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`,
        file,
        line,
        fix: meant === undefined ? 'correct the name, or remove it' : `write "${meant}"`,
      })
    }
    if (maxDepth === 1 && tools.some((tool) => tool === DISPATCH_TASK || tool === 'dispatch')) {
      issues.push({
        severity: 'warning',
        code: 'BAD_REPO',
        message: `the agent "${name}" names ${DISPATCH_TASK} and may have no sub-agents`,
        file,
        line,
        fix: 'set maxDepth to 2 or more, or remove the tool',
      })
    }
  }
}

function namesIn(bundle: AgentBundle, generation: Generation): readonly string[] {
  const tools = [...generation.registry(Tools).values()].flatMap((source) => {
    // a source that fails is reported elsewhere
    const made = trySync(() => source.tools(bundle), messageOf)
    return made.ok ? made.value.map(({ name }) => name) : []
  })
  const aliases = [...generation.registry(ToolAliases).values()].flatMap((make) =>
    Object.keys(make(bundle)),
  )
  return [...tools, ...aliases]
}

function lineOf({ files }: AgentBundle, path: string, which: RegExp): number {
  const lines = files.find((file) => file.path === path)?.text.split('\n') ?? []
  return (
    Math.max(
      0,
      lines.findIndex((line) => which.test(line)),
    ) + 1
  )
}
