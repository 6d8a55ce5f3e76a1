import type { Json, JsonObject } from '@amodal/kernel'
import type { RunStatus } from '../wire/run-status.ts'

export interface RunInput {
  /** A profile that `profiles` lists. */
  readonly profile: string
  /** What is to be done. */
  readonly task: string
  /** Facts that the profile interprets. */
  readonly params?: JsonObject
  /** Called when the run asks a person and when it ends. */
  readonly webhookUrl?: string
  /** The same key again is the same run; made here where it is absent. */
  readonly key?: string
  readonly signal?: AbortSignal | undefined
}

/** Instructions and limits that a run is started with. */
export interface RunProfile extends JsonObject {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly max_turns: number | null
  readonly model: string | null
  readonly produces_artifact_type: string | null
}

/** A run of a list. */
export interface RunSummary {
  readonly session_id: string
  readonly status: RunStatus
  readonly profile_id: string
  /** In a list its beginning, where it is long. */
  readonly task: string
  readonly started_by: string
  readonly turns_used: number
  /** ISO 8601, as the other times. */
  readonly created_at: string
  readonly started_at: string | null
  readonly completed_at: string | null
  /** The last one that it has written. */
  readonly result_artifact_id: string | null
}

/** What a run waits for. */
export interface RunQuestion {
  readonly ask_id: string
  readonly pending_input_type: 'approval' | 'question' | 'form' | 'continue_or_finish'
  /** JSON Schema that an answer must fit. */
  readonly pending_input_schema: JsonObject
  readonly pending_input_context: JsonObject
  readonly expires_at?: string
}

/** Tokens of the model calls of a run. */
export interface RunTokens {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheCreate: number
}

export interface RunDetails extends RunSummary {
  readonly input_params: JsonObject | null
  readonly updated_at: string
  /** The agent's last words. */
  readonly result_summary: string | null
  /** What the schema of its profile requires. */
  readonly result: Json
  /** Why it ended with `error`. */
  readonly session_error?: string
  /** Why it was canceled. */
  readonly reason?: string
  /** The first question that waits. */
  readonly pending_input?: RunQuestion
  readonly pending_inputs?: readonly RunQuestion[]
  readonly progress: {
    readonly toolsUsed: readonly { readonly toolId: string; readonly count: number }[]
    readonly tokensUsed: RunTokens
  }
}

export interface RunPage {
  readonly sessions: readonly RunSummary[]
  readonly next_before: string | null
}

/** What happened in a run; `timestamp` is ISO 8601. */
export type RunProgress = { readonly timestamp: string } & (
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool_start'
      readonly toolId: string
      readonly callId: string
      readonly inputSummary: string
    }
  | {
      readonly type: 'tool_complete'
      readonly toolId: string
      readonly callId: string
      readonly durationMs: number
      readonly resultSummary: string
    }
  | {
      readonly type: 'tool_error'
      readonly toolId: string
      readonly callId: string
      readonly durationMs: number
      readonly error: string
    }
  | { readonly type: 'turn_complete'; readonly turn: number; readonly tokensUsed: RunTokens }
  | ({ readonly type: 'paused' } & Pick<
      RunQuestion,
      'ask_id' | 'pending_input_type' | 'pending_input_context'
    >)
  | { readonly type: 'completed'; readonly reason: string }
  | { readonly type: 'error'; readonly code: string; readonly message: string }
)

/** An update of a run that is followed. */
export type RunUpdate =
  | { readonly type: 'state'; readonly state: RunDetails }
  | {
      readonly type: 'progress'
      /** Its place in the run; given as `last`, the stream goes on behind it. */
      readonly id: string
      readonly progress: RunProgress
    }

export interface FollowRunOptions {
  readonly signal?: AbortSignal | undefined
  /** The `id` of the last progress that is known; default: all progress comes, from the first on. */
  readonly last?: string | undefined
  /**
   * Closes the connection while the page is hidden, since a browser has six of them for all tabs,
   * and goes on behind the last progress once the page is visible. Default `false`. Without effect
   * outside of a browser.
   */
  readonly pauseWhileHidden?: boolean
  /** Called with `true` when the stream opens, and with `false` when it ends or is cut. */
  readonly onConnection?: (isOpen: boolean) => void
}

export interface ArtifactSummary {
  readonly id: string
  readonly version: number
  readonly type: string
  readonly title: string
}

/** Where a quote stands: an entry of the journal or a knowledge document, and characters there. */
export type CitationSource = {
  /** JSON Pointer to the text in the output; empty where the output is a text. */
  readonly path: string
  readonly start: number
  readonly end: number
} & (
  | {
      readonly kind: 'tool_outcome' | 'user_message'
      readonly entry: number
      readonly tool?: string
    }
  | { readonly kind: 'document'; readonly document: string }
)

export interface Citation {
  readonly id: number
  readonly quote: string
  readonly statement?: string
  readonly url?: string
  readonly source: CitationSource
}

/** One version of an artifact. */
export interface Artifact extends ArtifactSummary {
  readonly tags: readonly string[]
  readonly content_markdown: string | null
  readonly content_json: Json
  readonly citations: readonly Citation[]
  /** `sha256:` and the hash of its content. */
  readonly content_hash: string
  readonly bytes: number
  readonly session_id: string
  /** ISO 8601. */
  readonly created_at: string
}

export interface ArtifactVersions {
  readonly artifact: Artifact
  /** The newest first. */
  readonly versions: readonly {
    readonly version: number
    /** ISO 8601. */
    readonly created_at: string
  }[]
}
