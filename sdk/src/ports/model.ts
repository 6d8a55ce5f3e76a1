import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import {
  registry,
  type Failure,
  type ReplyCall,
  type Result,
  type Thought,
  type Usage,
} from '@amodal/kernel'
import type { ModelErrorClass } from '../model-error.ts'
import type { AgentBundle, ModelConfig } from './bundle.ts'
import type { PromptDraft } from './prompt-draft.ts'

// The provider's own message form is kept everywhere, so that a resident session is sent as it
// stands.
export type Message = LanguageModelV4Message
export type Prompt = LanguageModelV4Prompt
export type ToolSchema = LanguageModelV4FunctionTool
export type LanguageModel = LanguageModelV4
export type StreamPart = LanguageModelV4StreamPart

export interface ModelRef {
  readonly provider: string
  readonly model: string
}

/** What a provider can say of itself before any call. */
export interface ModelStatus {
  readonly provider: string
  /** The variable that holds its key, where there is one. */
  readonly envVar?: string
  readonly keySet: boolean
  /** A line for people, such as how to get a real model. */
  readonly notice?: string
  /**
   * It answers where no other model is configured: its notice says something only while a tier of
   * the agent uses it.
   */
  readonly standIn?: true
  /** Models of it that failed, and are left alone for now. */
  readonly cooling?: readonly ModelCooldown[]
}

/** A model that failed with one of its credentials, and the time of the next attempt. */
export interface ModelCooldown extends ModelRef {
  /** The credential it failed with. */
  readonly profile: string
  readonly class: ModelErrorClass
  /** In a row. */
  readonly failures: number
  /** ms from now. */
  readonly coolingMs: number
  /** The same as an ISO time. */
  readonly until: string
  readonly message: string
}

/** Who knows of models that are left alone, for `GET /inspect/health`. */
export const ModelCooldowns = registry<() => readonly ModelCooldown[]>('model-cooldowns')

export interface ModelProvider {
  /** The model to take where only the provider is named. */
  readonly defaultModel?: string
  /** A model for a configuration; must be cheap, since it is called for every model call. */
  model(config: ModelConfig): Result<LanguageModel, Failure>
  /**
   * The model to take where the manifest names none, if this provider can serve; `rank`: lowest
   * wins.
   */
  detect?(bundle: AgentBundle): { readonly config: ModelConfig; readonly rank: number } | undefined
  status?(): ModelStatus
  /**
   * Types of files that a model reads, such as `application/pdf` or `image/*`. Left out: the types
   * of images that most models read.
   */
  takes?(config: ModelConfig): readonly string[]
  /**
   * Types of files that requests of this provider have a form for, whatever `takes` of a model
   * says. Left out: any.
   */
  readonly carries?: readonly string[]
  /**
   * What of a configuration and of tools its models cannot take, in words for people; it is left
   * out of calls.
   */
  check?(config: ModelConfig, tools: readonly ToolSchema[]): readonly string[]
}

/**
 * Providers by the name that `models.*.provider` uses. The key `openai-compatible` also serves
 * unknown names with a `baseUrl`.
 */
export const Models = registry<ModelProvider>('models')

/** One call to a model, before it is made. A `model.call` tap may return a changed copy. */
export interface ModelCall {
  readonly tier: 'main' | 'explore' | 'simple' | 'advanced'
  readonly config: ModelConfig
  readonly system: string
  /** What `system` is made of, after the last tap of `prompt.compile`. Nothing of it is sent. */
  readonly sections?: PromptDraft['sections']
  /** Of the message that the system prompt is sent as, such as a cache mark. */
  readonly systemOptions?: Message['providerOptions']
  readonly messages: readonly Message[]
  readonly tools: readonly ToolSchema[]
  readonly toolChoice: 'auto' | 'none'
  readonly settings: Pick<
    LanguageModelV4CallOptions,
    | 'temperature'
    | 'maxOutputTokens'
    | 'topP'
    | 'seed'
    | 'providerOptions'
    | 'headers'
    | 'reasoning'
    | 'responseFormat'
  >
  readonly step: number
  readonly attempt: number
  /** The account of the call, if `model.route` chose one. */
  readonly profile?: string
  /** Apart from the conversation, such as a summary: it is neither streamed nor stored. */
  readonly aside?: true
}

/** A request to a model apart from the conversation. */
export interface SideCallRequest {
  readonly tier: ModelCall['tier']
  readonly system: string
  readonly text: string
  readonly maxOutputTokens?: number
}

/** Where the model of a call is from. */
export interface ModelSource {
  /** Cheap: nothing is sent before its `doStream`. */
  open(): Result<LanguageModel, Failure>
}

/** What came of a call once its stream has ended well. */
export interface ModelResult {
  readonly text: string
  readonly reasoning: string
  /** What the provider wants back with the history. */
  readonly thoughts?: readonly Thought[]
  readonly calls: readonly ReplyCall[]
  readonly usage: Usage
  readonly finish: string
  readonly ms: number
}

/** A plain transform over the parts of one call: `flush` gives what was held back. */
export interface StreamTransform {
  push(part: StreamPart): readonly StreamPart[]
  flush(): readonly StreamPart[]
}

/**
 * `retry` without a `config` calls `model.route` once more. `reason`: replaces the message of the
 * failure.
 */
export type RetryVerdict =
  | { readonly action: 'retry'; readonly afterMs: number; readonly config?: ModelConfig }
  | { readonly action: 'stop'; readonly reason?: string }

/**
 * Where a call goes: another model; a whole configuration, taken as it is; or nowhere, now or at
 * all.
 */
export type RouteVerdict =
  | ModelRef
  | {
      readonly action: 'use'
      readonly config: ModelConfig
      /** The name of its account. */ readonly profile?: string
    }
  /** `model.route` is called once more after this many ms. */
  | { readonly action: 'wait'; readonly afterMs: number }
  | { readonly action: 'stop'; readonly reason: string }

/**
 * From the provider's report; parts it leaves out, and what is no number of tokens, count as zero.
 * `input` is the total with cached tokens.
 */
export function usageOf(usage: LanguageModelV4Usage | undefined): Usage {
  return {
    input: tokens(usage?.inputTokens.total),
    output: tokens(usage?.outputTokens.total),
    cacheRead: tokens(usage?.inputTokens.cacheRead),
    cacheWrite: tokens(usage?.inputTokens.cacheWrite),
  }
}

const tokens = (reported: number | undefined): number =>
  reported !== undefined && reported > 0 && reported <= Number.MAX_SAFE_INTEGER
    ? Math.ceil(reported)
    : 0
