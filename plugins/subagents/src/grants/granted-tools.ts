import type { AgentBundle, ToolDefinition, ToolList } from '@amodal/sdk'
import { memoized } from '@amodal/sdk/loop'
import { callSubagent } from './call-subagent.ts'
import { allows, CALL_SUBAGENT, grantedTools, isStoreTool, type AgentGrants } from './grants.ts'

/** The tool that makes the requests of handlers. */
const REQUEST = 'request'

/** The tools that an agent with grants has: the same list object for equal input. */
export class GrantedTools {
  readonly #lists = new WeakMap<ToolList, Map<string, ToolList>>()

  /**
   * @param mayDispatch whether it may have sub-agents at its depth
   */
  of(list: ToolList, grants: AgentGrants, bundle: AgentBundle, mayDispatch: boolean): ToolList {
    return memoized(this.#lists, list, JSON.stringify([grants, mayDispatch]), () => {
      const patterns = grantedTools(grants)
      const isGranted = (name: string): boolean => allows(patterns, name)
      return Object.freeze({
        // Hidden ones are for the tools that name them.
        tools: list.tools.flatMap((tool): readonly ToolDefinition[] => {
          if (tool.name === CALL_SUBAGENT)
            return mayDispatch && grants.subagents.length > 0
              ? [callSubagent(bundle, grants.subagents)]
              : []
          // A tool that names one of a store in `uses` has it where the agent has the store.
          if (isStoreTool(tool.name) && !isGranted(tool.name)) return []
          if (isGranted(tool.name) || tool.name === REQUEST) return [tool]
          return [{ ...tool, hidden: true }]
        }),
        // Handlers reach connections through it, whatever the model may call.
        ...(!isGranted(REQUEST) && { unlisted: new Set([REQUEST]) }),
        aliases: Object.fromEntries(
          Object.entries(list.aliases).filter(([, name]) => isGranted(name)),
        ),
      })
    })
  }
}
