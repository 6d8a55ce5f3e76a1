import {
  isObject,
  redact,
  RoleView,
  seenBy,
  type Agent,
  type AgentBundle,
  type Generation,
  type Json,
  type JsonObject,
  type Manifest,
  type ModelConfig,
} from '@amodal/sdk'
import { KERNEL_API } from '@amodal/sdk/inspection'
import { storeTools } from '@amodal/sdk/stores'
import { partPath } from '@amodal/sdk/files'

/**
 * The agent's configuration as a caller with these roles may see it: names, and whether required
 * variables are set. Never the value of a credential.
 */
export function configReport(
  agent: Agent,
  generation: Generation,
  roles: readonly string[],
  uptimeMs: number,
): JsonObject {
  const agentBundle = agent.bundle()
  const bundle = agentBundle && seenBy(agentBundle, roles, generation.scope)
  const manifest = bundle?.manifest
  return {
    appId: manifest?.name ?? null,
    appName: manifest?.name ?? null,
    name: manifest?.name ?? null,
    version: manifest?.version ?? null,
    description: manifest?.description ?? null,
    models: manifest ? modelsOf(manifest) : {},
    embed: redact(manifest?.raw['embed'] ?? null),
    stores: {
      backend: backendOf(manifest?.raw['stores']),
      names: bundle
        ? bundle.stores.flatMap(({ name }) => (mayUse(name, bundle, generation) ? [name] : []))
        : [],
    },
    repoPath: bundle?.root ?? null,
    envRefs:
      bundle?.references.map(({ name, where, set }) => ({
        name,
        connection: /^connections\/([^/]+)\//.exec(partPath(where))?.[1] ?? null,
        set,
      })) ?? [],
    // Checking a key with its provider costs a call: `amodal validate` does that.
    providerStatuses: agent.models().map(({ provider, envVar, keySet, cooling = [] }) => ({
      provider,
      envVar: envVar ?? null,
      keySet,
      verified: null,
      ...(cooling[0] && { error: `${cooling[0].model} is left alone for now: it failed` }),
    })),
    nodeVersion: process.version,
    runtimeVersion: String(KERNEL_API),
    uptime: Math.round(uptimeMs / 1_000),
  }
}

/** A store is visible to callers who may use one of its tools. */
function mayUse(store: string, bundle: AgentBundle, { scope }: Generation): boolean {
  return ['query_store', ...Object.values(storeTools(store))].some(
    (tool) => scope.find(RoleView)?.allows(tool, bundle) ?? true,
  )
}

const modelsOf = ({ models }: Manifest): JsonObject =>
  Object.fromEntries(Object.entries(models).map(([tier, model]) => [tier, shown(model)]))

/**
 * Copies fields by name, so that a field that a later release adds is not exposed by accident.
 */
const shown = ({
  provider,
  model,
  baseUrl,
  temperature,
  maxTokens,
  fallback,
}: ModelConfig): JsonObject => ({
  provider,
  model,
  ...(baseUrl !== undefined && { baseUrl: withoutCredentials(baseUrl) }),
  ...(temperature !== undefined && { temperature }),
  ...(maxTokens !== undefined && { maxTokens }),
  ...(fallback && { fallback: shown(fallback) }),
})

/** The URL without user info, query and fragment, which may hold credentials. */
function withoutCredentials(address: string): string | null {
  if (!URL.canParse(address)) return address.startsWith('env:') ? address : null
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}`
}

function backendOf(stores: Json | undefined): string | null {
  const backend = isObject(stores) ? stores['backend'] : undefined
  return typeof backend === 'string' && /^[\w-]{1,50}$/.test(backend) ? backend : null
}
