import type { Json, JsonObject } from '@amodal/kernel'

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
}

/** Where a run stands. `complete`, `error` and `canceled` are its ends. */
export type RunStatus = 'queued' | 'running' | 'awaiting_input' | 'complete' | 'error' | 'canceled'

export interface RunSummary {
  readonly session_id: string
  readonly status: RunStatus
  readonly profile_id: string
  /** ISO 8601, as the others. */
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

export interface RunDetails extends RunSummary {
  readonly task: string
  readonly input_params: JsonObject
  readonly updated_at: string
  readonly turns_used: number
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
}

export interface RunPage {
  readonly sessions: readonly RunSummary[]
  readonly next_before: string | null
}

/** An event of the stream of a run. */
export type RunUpdate =
  | { readonly type: 'state'; readonly state: RunDetails }
  | {
      readonly type: 'progress'
      /** `type` is `tool_start`, `tool_complete`, `tool_error`, `thinking`, `turn_complete`, … */
      readonly progress: JsonObject & { readonly type: string }
    }

export interface ArtifactSummary {
  readonly id: string
  readonly version: number
  readonly type: string
  readonly title: string
}

export interface Artifact extends ArtifactSummary {
  readonly tags: readonly string[]
  readonly content_markdown: string | null
  readonly content_json: Json
  readonly citations: Json
  /** `sha256:` and the hash of its content. */
  readonly content_hash: string
  readonly bytes: number
  readonly session_id: string
  /** ISO 8601. */
  readonly created_at: string
}
