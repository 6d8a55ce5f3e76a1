import {
  type AgentBundle,
  err,
  type Failure,
  failure,
  type Generation,
  hashOf,
  ok,
  type Result,
  ToolAliases,
  type ToolDefinition,
  type ToolList,
  Tools,
  type ToolSchema,
} from '@amodal/sdk'

/** A list of tools with what is made from it once: schemas for the model, a look-up, hashes. */
export interface ToolSet extends ToolList {
  readonly schemas: readonly ToolSchema[]
  /** A tool that the model may call. */
  find(name: string): ToolDefinition | undefined
  /** A tool that another one may call: also a hidden one that it names. */
  findInner(name: string, outer: ToolDefinition): ToolDefinition | undefined
  hash(tool: ToolDefinition): string
}

/**
 * Tools from all sources, one source after another; two tools of one name are an error that names
 * both sources.
 */
export function collectTools(
  generation: Generation,
  bundle: AgentBundle,
): Result<ToolList, Failure> {
  const owners = new Map<string, string>()
  const tools: ToolDefinition[] = []
  for (const [name, source] of generation.registry(Tools)) {
    for (const tool of source.tools(bundle)) {
      const owner = owners.get(tool.name)
      if (owner !== undefined)
        return err(
          failure(
            'DUPLICATE_NAME',
            `the tool "${tool.name}" comes from both "${owner}" and "${name}"`,
          ),
        )
      owners.set(tool.name, name)
      tools.push(tool)
    }
  }
  const aliases = Object.assign(
    {},
    ...[...generation.registry(ToolAliases).values()].map((make) => make(bundle)),
  ) as Record<string, string> // merged string tables
  return ok(Object.freeze({ tools, aliases }))
}

export function toolSet({ tools, aliases, unlisted }: ToolList): ToolSet {
  const isTold = ({ hidden, name }: ToolDefinition): boolean =>
    hidden !== true && unlisted?.has(name) !== true
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const named = (name: string): ToolDefinition | undefined =>
    byName.get(name) ?? byName.get(aliases[name] ?? '')
  const hashes = new Map<ToolDefinition, string>()
  return {
    tools,
    aliases,
    ...(unlisted ? { unlisted } : {}),
    schemas: tools.filter(isTold).map((tool) => ({
      type: 'function',
      name: tool.name,
      description: tool.description,
      inputSchema: tool.parameters,
    })),
    find: (name) => {
      const tool = named(name)
      return tool && isTold(tool) ? tool : undefined
    },
    findInner: (name, { uses = [] }) => {
      const tool = named(name)
      return tool?.hidden && !uses.includes(tool.name) ? undefined : tool
    },
    hash: (tool) => {
      const known = hashes.get(tool)
      if (known !== undefined) return known
      const {
        name,
        description,
        parameters,
        readOnly,
        keyed = false,
        tier = 'allow',
        uses,
        digest,
      } = tool
      // Parts that are not there leave no trace, so that what an earlier release kept is still the
      // same tool.
      const made = hashOf({
        name,
        description,
        parameters,
        readOnly,
        keyed,
        ...(tier === 'allow' ? {} : { tier }),
        ...(uses ? { uses } : {}),
        ...(digest === undefined ? {} : { digest }),
      })
      hashes.set(tool, made)
      return made
    },
  }
}
