import { budgetOf, estimateTokens, type Budget } from '@amodal/plugin-prompt/tokens'
import {
  type Caller,
  ConnectionStatuses,
  ok,
  seenBy,
  type Agent,
  type AgentBundle,
  type CompiledPrompt,
  type Failure,
  type Generation,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { Inventories } from '@amodal/sdk/inspection'
import { brokenConnectionsOf, connectionsOf, isTrusted } from '@amodal/sdk/connections'
import { describeSections } from './tokens.ts'
import { partPath } from '@amodal/sdk/files'

/**
 * The prompt that the model would receive for a caller with these roles, built by the prompt
 * compiler itself, with the tokens of each part.
 */
export async function contextReport(
  agent: Agent,
  generation: Generation,
  roles: readonly string[],
  caller: Caller | undefined,
  signal: AbortSignal,
): Promise<Result<JsonObject, Failure>> {
  const compiled = await agent.compiled(signal, roles, caller)
  if (!compiled.ok) return compiled
  const { prompt, tools, model } = compiled.value
  const agentBundle = agent.bundle()
  const bundle = agentBundle && seenBy(agentBundle, roles, generation.scope)
  const budget = budgetOf(prompt, tools)
  const known = new Set(
    bundle
      ? [...connectionsOf(bundle), ...brokenConnectionsOf(bundle)].map(({ name }) => name)
      : [],
  )
  const statuses = agentBundle
    ? [...generation.registry(ConnectionStatuses).values()]
        .flatMap((of) => of(agentBundle))
        .filter(({ name }) => known.has(name))
    : []
  return ok({
    repo_path: bundle?.root ?? null,
    name: bundle?.manifest.name ?? null,
    model: model?.model ?? null,
    provider: model?.provider ?? null,
    ...(model?.notice !== undefined && { notice: model.notice }),
    ...(model?.unsupported && { unsupported: model.unsupported }),
    system_prompt: prompt.text,
    system_prompt_length: prompt.text.length,
    segments: [...describeSections(prompt.sections, prompt.text)],
    token_usage: {
      total: budget.window,
      used: budget.total,
      remaining: budget.available,
      sectionBreakdown: Object.fromEntries(
        budget.rows.map(({ category, tokens }) => [category, tokens]),
      ),
    },
    contributions: contributions(prompt, budget),
    tools: tools.tools
      .filter(({ hidden }) => !hidden)
      .map(({ name, description, readOnly, file, taint }) => ({
        name,
        description,
        read_only: readOnly,
        ...(taint && { taint }),
        ...(file !== undefined && { filePath: file }),
      })),
    connections: statuses.map(({ name, kind, status, error }) => ({
      name,
      kind,
      status,
      ...(error !== undefined && { error }),
    })),
    taintIgnored: bundle
      ? connectionsOf(bundle).flatMap(({ name, access }) =>
          access.rules.flatMap(({ method, path, taint }) =>
            taint ? [`${name}: ${method} ${path}`] : [],
          ),
        )
      : [],
    trustedConnections: bundle
      ? connectionsOf(bundle)
          .filter(isTrusted)
          .map(({ name }) => name)
      : [],
    connectionFiles: bundle?.files.flatMap(({ path }) => (isOf(known, path) ? [path] : [])) ?? [],
    mcpServers: statuses
      .filter(({ kind }) => kind === 'mcp')
      .map(({ name, status, toolCount = 0, error }) => ({
        name,
        status,
        toolCount,
        error: error ?? null,
      })),
    ...inventoriesOf(generation, agentBundle, roles),
    skills:
      bundle?.skills.map(({ name, description, file }) => ({
        name,
        description,
        filePath: file,
      })) ?? [],
    knowledge:
      bundle?.knowledge.map(({ name, title, file }) => ({ name, title, filePath: file })) ?? [],
  })
}

/** Parts of the agent that plugins list in addition to its prompt, as visible with these roles. */
function inventoriesOf(
  generation: Generation,
  bundle: AgentBundle | undefined,
  roles: readonly string[],
): JsonObject {
  const listed = [...generation.registry(Inventories)].map(([field, inventory]) => [
    field,
    bundle ? inventory.items(bundle, roles).map(({ name, facts }) => ({ name, ...facts })) : [],
  ])
  return { automations: [], ...(Object.fromEntries(listed) as JsonObject) }
}

/** Whether a file belongs to one of these connections. */
const isOf = (connections: ReadonlySet<string>, path: string): boolean =>
  connections.has(/^connections\/([^/]+)\//.exec(partPath(path))?.[1] ?? '')

/**
 * One line for each file or tool with tokens in the prompt; a section without parts is one itself.
 */
function contributions(prompt: CompiledPrompt, budget: Budget): readonly JsonObject[] {
  const undivided = prompt.sections.filter(({ parts }) => (parts ?? []).length === 0)
  return [
    ...undivided.map(({ id, title, body, category, plugin }) => ({
      name: title || id,
      category,
      tokens: estimateTokens(body.length),
      plugin,
    })),
    ...budget.rows.flatMap(({ category, parts }) =>
      parts.map(({ name, tokens, file, plugin }) => ({
        name,
        category,
        tokens,
        ...(plugin !== undefined && { plugin }),
        ...(file !== undefined && { filePath: file }),
      })),
    ),
  ]
}
