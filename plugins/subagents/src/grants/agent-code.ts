import {
  isList,
  isObject,
  slot,
  type AgentBundle,
  type BundleFile,
  type Failure,
  type Json,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import type { JsonFile } from '@amodal/sdk/files'

/** What a condition of an `agent.ts` is given. */
export interface ConditionContext {
  /** Verified: who asks, and with which roles. */
  readonly claims: { readonly sub: string; readonly roles: readonly string[] }
  /** Sent by the client; not to be trusted. */
  readonly context: Readonly<Record<string, string>>
  readonly scopeId: string
  readonly userId?: string
  readonly orgId?: string
  /** `false` for schedules and webhooks. */
  readonly humanPresent: boolean
  readonly isSubagent: boolean
  readonly agentName: string
}

/** Runs the code of `agent.ts` files, kept apart from the server. */
export interface AgentCode {
  /** @returns what it exports, with `true` in place of each `conditional` */
  read(bundle: AgentBundle, file: BundleFile): Promise<Result<JsonObject, Failure>>
  /** @returns the places of the conditions that are true, such as `tools.1` or `stores.beds` */
  evaluate(
    bundle: AgentBundle,
    file: string,
    ctx: ConditionContext,
    signal: AbortSignal,
  ): Promise<Result<readonly string[], Failure>>
}

/** Filled by the plugin that runs code of the agent's folder. */
export const AgentCode = slot.kernel<AgentCode>('agent-code')

/** Something that an agent may use where a condition says so. */
export type Conditional = {
  /** The place of its condition in the file. */
  readonly at: string
  readonly list: 'tools' | 'skills' | 'connections' | 'subagents' | 'stores'
  readonly name: string
  readonly mode?: 'read' | 'rw'
}

/** The `agent.ts` beside an `AGENT.md`. */
export const agentCodeBeside = (
  { files }: Pick<AgentBundle, 'files'>,
  agentFile: string,
): BundleFile | undefined => {
  const folder = agentFile.replace(/[^/]+$/, '')
  return files.find(({ path }) => path.startsWith(folder) && CODE.test(path.slice(folder.length)))
}

const CODE = /^agent\.[mc]?[jt]s$/

const LISTS = ['tools', 'skills', 'connections', 'mcp', 'subagents'] as const

/**
 * Takes what stands under a condition out of the fields of an `agent.ts`: what is left is granted
 * whatever the conditions say.
 */
export function withoutConditions(code: JsonFile<JsonObject>): {
  readonly fields: JsonFile<JsonObject>
  readonly conditional: readonly Conditional[]
} {
  const conditional: Conditional[] = []
  const value: Record<string, Json> = { ...code.value }
  for (const list of LISTS) {
    const entries = value[list]
    if (entries === undefined || !isList(entries)) continue
    value[list] = entries.flatMap((entry, index) => {
      const name = conditionalName(entry)
      if (name === undefined) return [entry]
      const at = `${list}.${index}`
      conditional.push({ at, list: list === 'mcp' ? 'connections' : list, name })
      return []
    })
  }
  const stores = value['stores']
  if (stores !== undefined && isObject(stores))
    value['stores'] = Object.fromEntries(
      Object.entries(stores).flatMap(([name, entry]) => {
        const mode = isObject(entry) && isCondition(entry, 'mode') ? entry['mode'] : undefined
        if (mode !== 'read' && mode !== 'rw') return [[name, entry] as const]
        conditional.push({ at: `stores.${name}`, list: 'stores', name, mode })
        return []
      }),
    )
  return { fields: { ...code, value }, conditional }
}

function conditionalName(entry: Json): string | undefined {
  const name = isObject(entry) && isCondition(entry, 'name') ? entry['name'] : undefined
  return typeof name === 'string' ? name : undefined
}

const isCondition = (entry: JsonObject, field: string): boolean =>
  entry['conditional'] === true &&
  Object.keys(entry).every((key) => key === field || key === 'conditional')
