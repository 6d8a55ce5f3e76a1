import { slot, type Failure, type Json, type JsonObject, type Result } from '@amodal/kernel'

/** A problem of a file, with the line (from 1) and what to do about it. */
export interface BundleIssue {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly message: string
  readonly file?: string
  readonly line?: number
  readonly fix?: string
}

/** One model as the manifest names it. `apiKey` keeps its `env:` reference; it is resolved where the call is made. */
export interface ModelConfig {
  readonly provider: string
  readonly model: string
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly temperature?: number
  readonly maxTokens?: number
  /** Further credentials for the same model, tried in this order after its own. */
  readonly profiles?: readonly ModelProfile[]
  /** The model to take where this one fails. */
  readonly fallback?: ModelConfig
}

/** Another account at the same provider; what it leaves out is the model's own. */
export interface ModelProfile {
  readonly name: string
  readonly apiKey?: string
  readonly baseUrl?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** `provider: "failover"` at the top of the manifest, and how often and how patiently a model is tried again. */
export interface FailoverForm {
  /** Names of providers, each with the model it takes where none is named. */
  readonly providers?: readonly string[]
  /** Further calls of one model for the same request. */
  readonly retries?: number
  /** ms before the first of them. */
  readonly backoffMs?: number
}

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly userContext?: string
  readonly models: Readonly<Partial<Record<'main' | 'explore' | 'simple' | 'advanced', ModelConfig>>>
  readonly limits: { readonly maxTurns?: number; readonly timeoutSeconds?: number; readonly maxSessionTokens?: number; readonly maxToolCalls?: number; readonly onMaxTurns?: 'finish' | 'ask' }
  readonly failover?: FailoverForm
  /** The whole file as read, references unresolved, for plugins that own a part of it. */
  readonly raw: JsonObject
}

export interface Skill { readonly name: string; readonly description: string; readonly trigger: string; readonly body: string; readonly file: string }
export interface KnowledgeDocument { readonly name: string; readonly title: string; readonly body: string; readonly file: string }
/** The agent's own instructions (`agents/main/AGENT.md`). */
export interface AgentInstructions { readonly name: string; readonly body: string; readonly file: string; readonly fields: JsonObject }

export interface StoreField {
  readonly type: 'string' | 'number' | 'boolean' | 'datetime' | 'enum' | 'array' | 'object' | 'ref'
  readonly nullable?: boolean
  readonly description?: string
  readonly min?: number
  readonly max?: number
  readonly values?: readonly string[]
  readonly item?: StoreField
  readonly fields?: Readonly<Record<string, StoreField>>
  readonly store?: string
}

export interface StoreDefinition {
  readonly name: string
  readonly description?: string
  readonly entity: { readonly name: string; /** A template such as `{event_id}`. */ readonly key: string; readonly schema: Readonly<Record<string, StoreField>> }
  readonly ttl?: number
  readonly failure?: { readonly mode: 'partial' | 'all-or-nothing' | 'skip' }
  readonly history?: { readonly versions: number }
  /** One set of documents for all tenants. */
  readonly shared?: boolean
  /** Documents to put in when the store is empty. */
  readonly seed?: readonly JsonObject[]
  readonly raw: JsonObject
  readonly file: string
}

/** A file as read, for plugins that own a folder this release does not know. Paths use `/` and are relative to the root. */
export interface BundleFile { readonly path: string; readonly text: string }

/** The agent's own files, immutable. A turn keeps the bundle it began with. */
export interface AgentBundle {
  /** Of all contents: equal hashes compile to equal prompts. */
  readonly hash: string
  readonly root: string | undefined
  readonly manifest: Manifest
  readonly instructions: AgentInstructions | undefined
  readonly skills: readonly Skill[]
  readonly knowledge: readonly KnowledgeDocument[]
  readonly stores: readonly StoreDefinition[]
  readonly files: readonly BundleFile[]
  /** Names of `env:` references and whether each is set. Never values. */
  readonly references: readonly { readonly name: string; readonly set: boolean; readonly where: string }[]
  readonly issues: readonly BundleIssue[]
  /** Room for what other plugins parse in `bundle.load`, by plugin name. */
  readonly parts: Readonly<Record<string, Json>>
  /** Set where some of it is left out for somebody's roles: all of it. */
  readonly whole?: AgentBundle
}

/** Where the agent's files come from. `load` reads all of them anew. */
export interface BundleSource {
  readonly where: string
  load(signal: AbortSignal): Promise<Result<AgentBundle, Failure & { readonly issues?: readonly BundleIssue[] }>>
}

export const BundleSource = slot.kernel<BundleSource>('bundle-source')
