import { SUBAGENT_OF_TOOL, subagentOfTool } from '@amodal/plugin-subagents/tokens'
import { err, ok, type AgentBundle, type ToolDefinition } from '@amodal/sdk'
import { customTools, type CustomTool } from './custom-tool.ts'
import type { HandlerParts } from './handler-tool.ts'
import { checkOf } from './parameters.ts'
import { requestsOf, runSteps } from './steps.ts'

export type DefinitionParts = HandlerParts

/** Characters of one output of a versioned tool. */
const VERSIONED_CHARS = 20_000

/** The tools of a bundle, and the one through which they call sub-agents. */
export function toolsOf(bundle: AgentBundle, parts: DefinitionParts): readonly ToolDefinition[] {
  const tools = customTools(bundle)
  const agents = new Set(tools.flatMap(({ subagents }) => subagents))
  return [
    ...tools.flatMap((tool) => (tool.callers === 'nobody' ? [] : [definitionOf(tool, parts)])),
    ...(agents.size > 0 ? [subagentOfTool(bundle, [...agents])] : []),
  ]
}

/** What the loop calls. */
export function definitionOf(tool: CustomTool, parts: DefinitionParts): ToolDefinition {
  const {
    name,
    description,
    parameters,
    tier,
    hidden,
    timeout,
    readOnly,
    keyed,
    internal,
    runningLabel,
    completedLabel,
    digest,
    file,
    resultPersistence,
    version,
  } = tool
  const check = checkOf(parameters)
  const common = {
    name,
    description,
    tier,
    hidden: hidden || tool.callers !== undefined,
    readOnly,
    keyed,
    internal,
    digest,
    file,
    timeoutMs: timeout,
    parameters,
    parse: check.ok ? check.value : () => err(`its parameters cannot be checked: ${check.error}`),
    ...namedBy(tool),
    ...(tool.private && { private: true }),
    ...(tool.kind === 'handler' && tool.execution && { durable: true, keyed: true }),
    ...(tool.taint && { taint: tool.taint }),
    ...(resultPersistence && { resultPersistence }),
    ...(version !== undefined && { outputChars: VERSIONED_CHARS }),
    ...(runningLabel !== undefined && { runningLabel }),
    ...(completedLabel !== undefined && { completedLabel }),
  }
  if (tool.kind === 'handler')
    return Object.freeze({
      ...common,
      execute: async (args, ctx) =>
        (await import('./handler-tool.ts')).runHandler(tool, args, ctx, parts),
    } satisfies ToolDefinition)
  return Object.freeze({
    ...common,
    inner: (args) => {
      const requests = requestsOf(tool, args, parts.clock.now())
      return requests.ok ? ok(requests.value) : requests
    },
    execute: (args, ctx) => runSteps(tool, args, parts.clock.now(), ctx),
  } satisfies ToolDefinition)
}

/** Hidden tools that it may call; a sub-agent is called through a tool, too. */
function namedBy({ uses, subagents }: CustomTool): Pick<ToolDefinition, 'uses'> {
  const names = subagents.length > 0 ? [...uses, SUBAGENT_OF_TOOL] : uses
  return names.length > 0 ? { uses: names } : {}
}
