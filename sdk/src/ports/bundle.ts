import { slot, type Failure, type Json, type JsonObject, type Result } from '@amodal/kernel'
import type { Persistence } from './persistence.ts'
import type { StoreFilter } from './store-filter.ts'

/** A problem of a file, with the line (from 1) and what to do about it. */
export interface BundleIssue {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly message: string
  readonly file?: string
  readonly line?: number
  readonly fix?: string
}

/**
 * One model as the manifest names it. `apiKey` keeps its `env:` reference; it is resolved where the
 * call is made.
 */
export interface ModelConfig {
  readonly provider: string
  readonly model: string
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly temperature?: number
  readonly maxTokens?: number
  /** From 0 to 1. */
  readonly topP?: number
  readonly seed?: number
  /** How much it thinks before it answers, in the provider's own measure. */
  readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh'
  /** Tokens that it may think for. */
  readonly thinking?: number
  /** JSON Schema that answers have to fit. */
  readonly responseSchema?: JsonObject
  /** Its calls are held to the schemas of the tools, as far as those leave nothing open. */
  readonly strictTools?: boolean
  /**
   * Types of files that it reads, such as `image/png` or `image/*`. Left out: what its provider
   * says. Texts are read by every model.
   */
  readonly takes?: readonly string[]
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

/**
 * `provider: "failover"` at the top of the manifest: how often, and with which delays, a model call
 * is retried.
 */
export interface FailoverForm {
  /** Names of providers, each with the model it takes where none is named. */
  readonly providers?: readonly string[]
  /** Further calls of one model for the same request. */
  readonly retries?: number
  /** ms before the first of them. */
  readonly backoffMs?: number
}

/**
 * What an agent may use, and when a person is asked. An absent limit does not apply, or has the
 * default of the runtime.
 */
export interface Limits {
  /** Model calls of one run. */
  readonly maxTurns?: number
  /** Of one run. */
  readonly timeoutSeconds?: number
  /** Tool calls of one run. */
  readonly maxToolCalls?: number
  readonly maxSessionToolCalls?: number
  /** Input and output, sub-agents included. */
  readonly maxRunTokens?: number
  readonly maxSessionTokens?: number
  /** Dollars. */
  readonly maxRunCost?: number
  readonly maxSessionCost?: number
  /** What happens where turns are used up. */
  readonly onMaxTurns?: 'finish' | 'ask'
  /** The same for all that a person may extend: turns, tool calls, tokens, dollars. */
  readonly onLimit?: 'finish' | 'ask'
  /** Exchanges before this one that the model sees; 0: none. */
  readonly maxHistory?: number
  /** Tokens of one reply, where the model's own configuration says nothing else. */
  readonly maxTokens?: number
  readonly temperature?: number
  /** A run without progress for this long is restarted from its last commit. */
  readonly stalenessSeconds?: number
}

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly userContext?: string
  readonly models: Readonly<
    Partial<Record<'main' | 'explore' | 'simple' | 'advanced', ModelConfig>>
  >
  readonly limits: Limits
  readonly failover?: FailoverForm
  /** How long the model sees results, by name of a tool; `*` stands for any characters. */
  readonly resultPersistence?: Readonly<Record<string, Persistence>>
  /** Names of tools whose results no client sees, with `*`. */
  readonly privateTools?: readonly string[]
  /** The whole file as read, references unresolved, for plugins that own a part of it. */
  readonly raw: JsonObject
}

export interface Skill {
  readonly name: string
  readonly description: string
  readonly trigger: string
  readonly body: string
  readonly file: string
  readonly license?: string
  /** What it needs to work, in words. */
  readonly compatibility?: string
  readonly metadata?: Readonly<Record<string, string>>
  /**
   * Tools that it works with. They are offered with it; what they need of guards and people stays
   * as it is.
   */
  readonly allowedTools?: readonly string[]
}

export interface KnowledgeDocument {
  /** Its path below `knowledge/`, without the ending. */
  readonly name: string
  readonly title: string
  readonly body: string
  readonly file: string
  /** Its topic, such as `baselines`, in addition to its name. */
  readonly tags?: readonly string[]
}
/** The agent's own instructions (`agents/main/AGENT.md`). */
export interface AgentInstructions {
  readonly name: string
  readonly body: string
  readonly file: string
  readonly fields: JsonObject
}

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

/**
 * `severity IN ['P1', 'P2']`, read: the conditions, and the seconds for which a document that meets
 * them is fresh.
 */
export interface StoreTtlRule {
  readonly when: readonly StoreFilter[]
  readonly ttl: number
}

export interface StoreFailureHandling {
  /**
   * What a batch does with documents that do not fit: stores the others and names those; none of
   * them; leaves those out without a word.
   */
  readonly mode: 'partial' | 'all-or-nothing' | 'skip'
  /** How often a write that failed in the store is retried; default: 0. */
  readonly retries?: number
  /** Between the tries: 200 ms each time, or twice as long as before, up to 5 s. */
  readonly backoff?: 'fixed' | 'exponential'
  /** Documents that are given up are kept aside. */
  readonly deadLetter?: boolean
}

export interface StoreDefinition {
  readonly name: string
  readonly description?: string
  readonly entity: {
    readonly name: string
    /** A template such as `{event_id}`. */ readonly key: string
    readonly schema: Readonly<Record<string, StoreField>>
  }
  /** Seconds until a document is stale, where no rule says otherwise. */
  readonly ttl?: number
  /** The first whose conditions all hold says how long a document is fresh. */
  readonly ttlRules?: readonly StoreTtlRule[]
  readonly failure?: StoreFailureHandling
  readonly history?: { readonly versions: number }
  /** The reasons of the agent for a write are stored with the document. */
  readonly trace?: boolean
  /** Whether agents may remove documents; default: they may. */
  readonly deletable?: boolean
  /** One set of documents for all tenants. */
  readonly shared?: boolean
  /** Documents to put in when the store is empty. */
  readonly seed?: readonly JsonObject[]
  readonly raw: JsonObject
  readonly file: string
}

/**
 * A file as read, for plugins that own a folder this release does not know. Paths use `/` and are
 * relative to the root.
 */
export interface BundleFile {
  readonly path: string
  readonly text: string
}

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
  readonly references: readonly {
    readonly name: string
    readonly set: boolean
    readonly where: string
  }[]
  readonly issues: readonly BundleIssue[]
  /** Room for what other plugins parse in `bundle.load`, by plugin name. */
  readonly parts: Readonly<Record<string, Json>>
  /** The full bundle, set on one that is restricted to the roles of a caller. */
  readonly unrestricted?: AgentBundle
  /** Set where an edit is broken: its files are here as they were before it. */
  readonly held?: HeldEdits
}

/** Edits that are not taken over, because something of them is broken. */
export interface HeldEdits {
  /** All files of these edits, relative to the root. */
  readonly paths: readonly string[]
  /** What is wrong with them. */
  readonly issues: readonly BundleIssue[]
}

/** Why files cannot be used: the first reason, and all of them. */
export type BundleFailure = Failure & { readonly issues?: readonly BundleIssue[] }

/**
 * Completes a bundle with what other plugins read of it, or says why it cannot take the place of
 * the one in use.
 */
export type ExamineBundle = (
  candidate: AgentBundle,
  inUse?: AgentBundle,
) => Promise<Result<AgentBundle, BundleFailure>>

/** Where the agent's files come from. */
export interface BundleSource {
  readonly where: string
  /**
   * The files and folders that are read, below `where`, for a file watcher; a folder includes all
   * of its contents.
   */
  readonly places?: readonly string[]
  /**
   * Rereads all files.
   *
   * @param examine checks a candidate. A source that remembers the files in use may pass several
   *   candidates, such as one without the broken edit, and returns the result of the accepted one.
   *   A result that was not examined is examined by the caller. A source that served an earlier
   *   wiring passes the files that were in use there.
   * @param isFirst the caller has no files yet: if the newest edit is broken, the previous files
   *   are returned
   */
  load(
    signal: AbortSignal,
    examine?: ExamineBundle,
    isFirst?: boolean,
  ): Promise<Result<AgentBundle, BundleFailure>>
}

export const BundleSource = slot.kernel<BundleSource>('bundle-source')
