import { sessionId } from '@amodal/kernel'
import { z } from 'zod'
import type { AgentEvents } from '../agent-event.ts'
import { jsonValue } from '../json-value.ts'
import type { RuntimeEvents } from '../ports/runtime-event.ts'

/** A schema for each field of each event. A field without one does not compile. */
type Shapes<E> = {
  readonly [K in keyof E]: { readonly [F in keyof E[K]]-?: z.ZodType<E[K][F]> } & z.ZodRawShape
}

const text = z.string()
const count = z.number()
const fields = z.record(z.string(), jsonValue)
const label = text.optional()
const moment = z.iso.datetime()

const usage = z
  .object({
    input_tokens: count,
    output_tokens: count,
    cached_tokens: count,
    cache_creation_tokens: count.exactOptional(),
    total_tokens: count,
  })
  .meta({ id: 'TokenUsage' })
const option = z.object({ label: text, value: text })
const askedQuestion = z
  .object({
    id: text,
    text,
    type: z.enum(['text', 'choice', 'multi', 'boolean']).exactOptional(),
    options: z.array(option).exactOptional(),
    required: z.boolean().exactOptional(),
    default: jsonValue.exactOptional(),
    schema: fields.exactOptional(),
  })
  .meta({ id: 'AskedQuestion' })
const audience = z.enum(['user', 'model']).exactOptional()
const content = z
  .union([
    z.object({ type: z.literal('text'), text, audience }),
    z.object({
      type: z.literal('image'),
      mimeType: text,
      data: text,
      isUrl: z.boolean().exactOptional(),
      audience,
    }),
  ])
  .meta({ id: 'ToolContent' })
const reply = z.object({
  role: z.literal('assistant'),
  content: z.array(
    z.union([
      z.object({ type: z.enum(['reasoning', 'text']), text }),
      z.object({
        type: z.literal('tool_call'),
        tool_id: text,
        tool_name: text,
        parameters: jsonValue,
      }),
    ]),
  ),
  provider: text,
  model: text,
  stop_reason: text,
  usage,
})
const patch = z
  .union([
    z.object({ op: z.enum(['add', 'replace']), path: text, value: jsonValue }),
    z.object({ op: z.literal('remove'), path: text }),
  ])
  .meta({ id: 'StatePatch' })

/** With the second spellings of fields, which older clients read. */
const AGENT_EVENTS: Shapes<AgentEvents> = {
  init: { session_id: text, sessionId: text },
  text_delta: { content: text, delta: text },
  reasoning_delta: { content: text, delta: text },
  warning: { message: text, code: label },
  error: { message: text, code: text },
  tool_call_start: {
    tool_name: text,
    tool_id: text,
    parameters: jsonValue,
    running_label: label,
    completed_label: label,
    internal: z.boolean().optional(),
    name: text,
    id: text,
    args: jsonValue,
  },
  tool_call_result: {
    tool_id: text,
    status: z.enum(['success', 'error']),
    result: label,
    content: z.array(content).optional(),
    parameters: jsonValue.optional(),
    duration_ms: count.optional(),
    error: label,
    id: text,
  },
  tool_log: { tool_name: text, message: text, name: text },
  tool_label_update: { tool_id: text, running_label: label, completed_label: label, id: text },
  subagent_event: {
    parent_tool_id: text,
    agent_name: text,
    event_type: z.enum(['tool_call_start', 'tool_call_end', 'thought', 'error', 'complete']),
    tool_name: label,
    tool_args: jsonValue.optional(),
    result: label,
    text: label,
    error: label,
  },
  confirmation_required: {
    id: text,
    correlation_id: text,
    tool_id: label,
    tool_name: label,
    endpoint: text,
    method: text,
    reason: text,
    escalated: z.boolean(),
    tier: text,
    params: jsonValue,
    connection_name: text,
    expires_at: label,
    questions: z.array(askedQuestion).optional(),
    pending_input_type: z.enum(['approval', 'question', 'continue_or_finish']),
    pending_input_schema: fields,
    pending_input_context: fields,
  },
  approved: { resource_type: text, preview_id: text },
  ask_user: { ask_id: text, questions: z.array(askedQuestion), connection_name: label },
  ask_choice: {
    ask_id: text,
    connection_name: label,
    question: text,
    options: z.array(option),
    multi: z.boolean().optional(),
  },
  widget: { widget_type: text, data: jsonValue },
  skill_activated: { skill_name: text, skill: text },
  kb_proposal: { proposal_id: text, scope: text, title: text, reasoning: text, status: text },
  credential_saved: { connection_name: text },
  explore_start: { query: text },
  explore_end: { summary: text, tokens_used: count },
  plan_mode: { action: z.enum(['enter', 'approve', 'exit']), plan: label },
  field_scrub: { connection: text, endpoint: text, stripped_count: count },
  compaction_start: { estimated_tokens: count, threshold: count },
  compaction_end: { tokens_before: count, tokens_after: count, compaction_tokens: count },
  llm_start: { iteration: count },
  llm_end: { iteration: count, message: reply },
  retry: { attempt: count, reason: text, profile_id: label, profileId: label },
  state_snapshot: { version: text, state: fields },
  state_delta: { base: text, version: text, patch: z.array(patch) },
  reset: { after_seq: count },
  done: {
    reason: z.enum([
      'model_stop',
      'max_turns',
      'user_abort',
      'error',
      'budget_exceeded',
      'loop_detected',
    ]),
    usage: usage.optional(),
    last_call_usage: usage.optional(),
    lastCallUsage: usage.optional(),
    cost: count.optional(),
  },
}

/** Ids are texts on the wire. */
const session = text.transform(sessionId)

const runtimeEvents = (): Shapes<RuntimeEvents> => ({
  session_created: { sessionId: session, appId: text },
  session_updated: { sessionId: session, appId: text, title: label },
  session_deleted: { sessionId: session },
  automation_triggered: { name: text, source: z.enum(['cron', 'webhook', 'manual']) },
  automation_completed: { name: text, durationMs: count },
  automation_failed: { name: text, error: text, durationMs: count },
  automation_started: { name: text, intervalMs: count },
  automation_stopped: { name: text },
  delivery_succeeded: {
    automation: text,
    targetType: text,
    targetUrl: label,
    httpStatus: count.optional(),
    durationMs: count,
  },
  delivery_failed: {
    automation: text,
    targetType: text,
    targetUrl: label,
    httpStatus: count.optional(),
    error: text,
    attempts: count,
  },
  store_updated: {
    storeName: text,
    operation: z.enum(['put', 'delete', 'batch']),
    count: count.optional(),
  },
  manifest_changed: {},
  files_changed: { path: label, problem: label },
})

const wire = (type: string, shape: z.ZodRawShape, more: z.ZodRawShape): z.ZodObject =>
  z.object({ type: z.literal(type), timestamp: moment, ...more, ...shape })

const typed = (
  shapes: Readonly<Record<string, z.ZodRawShape>>,
  more: z.ZodRawShape,
): ReadonlyMap<string, z.ZodObject> =>
  new Map(Object.entries(shapes).map(([type, shape]) => [type, wire(type, shape, more)]))

/**
 * A schema of each event of a conversation by its type, in the form that clients receive.
 *
 * @example agentEventSchemas().get('text_delta')?.parse(JSON.parse(frame.data))
 */
export const agentEventSchemas = (): ReadonlyMap<string, z.ZodObject> => typed(AGENT_EVENTS, {})

/**
 * A schema of each event of the server by its type, in the form that clients of
 * `GET /api/events` receive.
 *
 * @example runtimeEventSchemas().get('store_updated')?.parse(JSON.parse(frame.data))
 */
export const runtimeEventSchemas = (): ReadonlyMap<string, z.ZodObject> =>
  typed(runtimeEvents(), { seq: count })
