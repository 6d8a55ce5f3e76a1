import { err, ok, type Clock, type ToolDefinition } from '@amodal/sdk'
import type { CustomTool } from './custom-tool.ts'
import type { HandlerParts } from './handler-tool.ts'
import { checkOf } from './parameters.ts'
import { requestsOf, runSteps } from './steps.ts'

export interface DefinitionParts extends HandlerParts {
  readonly clock: Clock
}

/** Characters of one output of a versioned tool. */
const VERSIONED_CHARS = 20_000

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
    uses,
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
    hidden,
    readOnly,
    keyed,
    internal,
    digest,
    file,
    timeoutMs: timeout,
    parameters,
    parse: check.ok ? check.value : () => err(`its parameters cannot be checked: ${check.error}`),
    ...(uses.length > 0 && { uses }),
    ...(tool.private && { private: true }),
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
