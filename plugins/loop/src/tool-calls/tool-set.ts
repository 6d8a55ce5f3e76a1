import {
  type AgentBundle,
  type BundleIssue,
  type Generation,
  hashOf,
  ToolAliases,
  type ToolDefinition,
  type ToolList,
  type ToolSchema,
} from '@amodal/sdk'
import { namedTools } from './tool-names.ts'

/** A list of tools with derived data: schemas for the model, look-up by name, hashes. */
export interface ToolSet extends ToolList {
  readonly schemas: readonly ToolSchema[]
  /** A tool that the model may call. */
  find(name: string): ToolDefinition | undefined
  /** A tool that another tool may call, including hidden ones that it names. */
  findInner(name: string, outer: ToolDefinition): ToolDefinition | undefined
  hash(tool: ToolDefinition): string
}

/** Collects the tools of all sources, and the issues of excluded ones. */
export function collectTools(
  generation: Generation,
  bundle: AgentBundle,
): { readonly list: ToolList; readonly issues: readonly BundleIssue[] } {
  const { tools, issues } = namedTools(generation, bundle)
  const aliases = aliasesOf(
    [...generation.registry(ToolAliases).values()].map((make) => make(bundle)),
  )
  return { list: Object.freeze({ tools, aliases }), issues }
}

/** Merges tables of aliases; an ambiguous alias is dropped. */
function aliasesOf(
  tables: readonly Readonly<Record<string, string>>[],
): Readonly<Record<string, string>> {
  const targets = new Map<string, string | undefined>()
  for (const [alias, target] of tables.flatMap((table) => Object.entries(table)))
    targets.set(alias, !targets.has(alias) || targets.get(alias) === target ? target : undefined)
  return Object.fromEntries(
    [...targets].flatMap(([alias, target]) => (target === undefined ? [] : [[alias, target]])),
  )
}

export function toolSet({ tools, aliases, unlisted }: ToolList): ToolSet {
  const isListed = ({ hidden, name }: ToolDefinition): boolean =>
    hidden !== true && unlisted?.has(name) !== true
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const named = (name: string): ToolDefinition | undefined =>
    byName.get(name) ?? byName.get(aliases[name] ?? '')
  const hashes = new Map<ToolDefinition, string>()
  return {
    tools,
    aliases,
    ...(unlisted ? { unlisted } : {}),
    schemas: tools.filter(isListed).map((tool) => ({
      type: 'function',
      name: tool.name,
      description: tool.description,
      inputSchema: tool.parameters,
    })),
    find: (name) => {
      const tool = named(name)
      return tool && isListed(tool) ? tool : undefined
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
      // Absent parts are not hashed, so hashes stay the same as in earlier releases.
      const hash = hashOf({
        name,
        description,
        parameters,
        readOnly,
        keyed,
        ...(tier === 'allow' ? {} : { tier }),
        ...(uses ? { uses } : {}),
        ...(digest === undefined ? {} : { digest }),
      })
      hashes.set(tool, hash)
      return hash
    },
  }
}
