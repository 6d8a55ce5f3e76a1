import type {
  AskedQuestion,
  AskType,
  Code,
  DoneReason,
  Json,
  JsonObject,
  QuestionOption,
  ToolContent,
  ToolOutcome,
} from '@amodal/kernel'

export interface WireUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cached_tokens: number
  readonly cache_creation_tokens?: number
  readonly total_tokens: number
}

/** A whole reply of the model. */
export interface WireReply {
  readonly role: 'assistant'
  readonly content: readonly (
    | { readonly type: 'reasoning' | 'text'; readonly text: string }
    | {
        readonly type: 'tool_call'
        readonly tool_id: string
        readonly tool_name: string
        readonly parameters: Json
      }
  )[]
  readonly provider: string
  readonly model: string
  readonly stop_reason: string
  readonly usage: WireUsage
}

/**
 * What happens in a run, by its name on the wire. Timestamps and second spellings are added where
 * it is sent.
 */
export interface AgentEvents {
  init: { readonly session_id: string }
  text_delta: { readonly content: string }
  reasoning_delta: { readonly content: string }
  warning: { readonly message: string; readonly code?: Code }
  error: { readonly message: string; readonly code: Code }
  tool_call_start: {
    readonly tool_name: string
    readonly tool_id: string
    readonly parameters: Json
    readonly running_label?: string
    readonly completed_label?: string
    readonly internal?: boolean
  }
  tool_call_result: {
    readonly tool_id: string
    readonly status: 'success' | 'error'
    readonly result?: string
    readonly content?: readonly ToolContent[]
    readonly parameters?: Json
    readonly duration_ms?: number
    readonly error?: string
  }
  tool_log: { readonly tool_name: string; readonly message: string }
  tool_label_update: {
    readonly tool_id: string
    readonly running_label?: string
    readonly completed_label?: string
  }
  subagent_event: {
    readonly parent_tool_id: string
    readonly agent_name: string
    readonly event_type: 'tool_call_start' | 'tool_call_end' | 'thought' | 'error' | 'complete'
    readonly tool_name?: string
    readonly tool_args?: Json
    readonly result?: string
    readonly text?: string
    readonly error?: string
  }
  confirmation_required: {
    readonly id: string
    readonly correlation_id: string
    readonly tool_id?: string
    readonly tool_name?: string
    readonly endpoint: string
    readonly method: string
    readonly reason: string
    readonly escalated: boolean
    readonly tier: string
    readonly params: Json
    readonly connection_name: string
    readonly expires_at?: string
    readonly questions?: readonly AskedQuestion[]
    readonly pending_input_type: AskType
    readonly pending_input_schema: JsonObject
    readonly pending_input_context: JsonObject
  }
  approved: { readonly resource_type: string; readonly preview_id: string }
  /** `connection_name`: the target that asks, in its own words; left out where the agent asks. */
  ask_user: {
    readonly ask_id: string
    readonly questions: readonly AskedQuestion[]
    readonly connection_name?: string
  }
  ask_choice: {
    readonly ask_id: string
    readonly connection_name?: string
    readonly question: string
    readonly options: readonly QuestionOption[]
    readonly multi?: boolean
  }
  widget: { readonly widget_type: string; readonly data: Json }
  skill_activated: { readonly skill_name: string }
  kb_proposal: {
    readonly proposal_id: string
    readonly scope: string
    readonly title: string
    readonly reasoning: string
    readonly status: string
  }
  credential_saved: { readonly connection_name: string }
  explore_start: { readonly query: string }
  explore_end: { readonly summary: string; readonly tokens_used: number }
  plan_mode: { readonly action: 'enter' | 'approve' | 'exit'; readonly plan?: string }
  field_scrub: {
    readonly connection: string
    readonly endpoint: string
    readonly stripped_count: number
  }
  compaction_start: { readonly estimated_tokens: number; readonly threshold: number }
  compaction_end: {
    readonly tokens_before: number
    readonly tokens_after: number
    readonly compaction_tokens: number
  }
  /**
   * Emitted before each model call, retries included. Like `llm_end` and `retry`, only for clients
   * that request all events.
   */
  llm_start: { readonly iteration: number }
  llm_end: { readonly iteration: number; readonly message: WireReply }
  /** A model call failed and is retried. */
  retry: {
    /** 1 for the first retry of a call. */
    readonly attempt: number
    /** What kind of failure it was, such as `rate_limit`. */
    readonly reason: string
    /** The account that is called next, if one was chosen. */
    readonly profile_id?: string
  }
  /** The session's live state as everybody may see it, whole. */
  state_snapshot: { readonly version: string; readonly state: JsonObject }
  /** What changed of it since version `base`, as JSON Patch (RFC 6902). */
  state_delta: {
    readonly base: string
    readonly version: string
    readonly patch: readonly StatePatch[]
  }
  /** Forget the text after that entry: a replay follows. */
  reset: { readonly after_seq: number }
  done: {
    readonly reason: DoneReason
    readonly usage?: WireUsage
    /** Of the last model call. */
    readonly last_call_usage?: WireUsage
    /** Dollars, of the calls whose price is known. */
    readonly cost?: number
  }
}

/** An operation of JSON Patch (RFC 6902). */
export type StatePatch =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }

export type EventType = keyof AgentEvents
export type AgentEvent =
  | { readonly [K in EventType]: { readonly type: K } & AgentEvents[K] }[EventType]
  | PluginEvent

/** What a plugin tells of its own: its name, a dot and what it is, with data of its own. */
export interface PluginEvent {
  readonly type: `${string}.${string}`
  readonly data: Json
}

/**
 * The events that a tool emitted in addition to its result, or those of a note; typed when emitted.
 */
export const eventsOf = ({ events = [] }: Pick<ToolOutcome, 'events'>): readonly AgentEvent[] =>
  events as readonly AgentEvent[]

/** Fields by which a client knows things: whatever changes the texts of events leaves them. */
const EVENT_IDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'tool_id',
  'tool_name',
  'correlation_id',
  'ask_id',
  'preview_id',
  'proposal_id',
  'parent_tool_id',
  'event_type',
  'widget_type',
  'status',
  'code',
  'expires_at',
  'pending_input_type',
  'pending_input_schema',
])

/**
 * An event with each of its fields changed but for those that identify something; the same object
 * where nothing changes.
 *
 * @example mapEventFields(event, (value) => mapTexts(value, (text) => text.trim()))
 */
export function mapEventFields(
  event: AgentEvent,
  change: (value: Json, field: string) => Json,
): AgentEvent {
  let isChanged = false
  const fields = Object.entries(event).map(([field, value]: [string, Json]) => {
    const other = EVENT_IDS.has(field) ? value : change(value, field)
    isChanged ||= other !== value
    return [field, other] as const
  })
  return isChanged ? (Object.fromEntries(fields) as unknown as AgentEvent) : event // its shape
}
