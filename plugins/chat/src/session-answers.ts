import { SESSION_KINDS, SESSION_STANDINGS } from '@amodal/sdk/loop'
import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'

const text = z.string()
const count = z.number()
const moment = z.iso.datetime()
const fields = z.record(text, jsonValue)

export const Usage = z
  .object({
    input_tokens: count,
    output_tokens: count,
    cached_tokens: count,
    cache_creation_tokens: count.optional(),
    total_tokens: count,
  })
  .meta({ id: 'RunUsage' })

export const PendingInput = z
  .object({
    id: text,
    tool_id: text.optional(),
    pending_input_type: z.enum(['approval', 'question', 'continue_or_finish']),
    pending_input_schema: fields,
    pending_input_context: fields,
    expires_at: moment.optional(),
  })
  .meta({ id: 'PendingInput' })

const summary = {
  id: text,
  session_id: text,
  sessionId: text,
  app_id: text,
  scope_id: text.nullable(),
  kind: z.enum(SESSION_KINDS),
  title: text,
  tags: z.array(text),
  status: z.enum(['active', 'idle', 'expired']),
  message_count: count,
  token_usage: z.object({ input_tokens: count, output_tokens: count, total_tokens: count }),
  model: text.nullable(),
  provider: text.nullable(),
  cost: count.nullable(),
  waiting: count,
  standing: z.enum(SESSION_STANDINGS).nullable(),
  failed: z.boolean(),
  last_end: z
    .object({
      reason: text,
      code: text.optional(),
      message: text.optional(),
      at: moment,
    })
    .optional(),
  set_aside: z.object({ code: text, message: text, crashes: count, at: moment }).optional(),
  unknown_effects: count.optional(),
  parent_id: text.optional(),
  forked_at: count.nullish(),
  created_at: moment,
  updated_at: moment,
}
export const SessionSummary = z.object(summary).meta({ id: 'SessionSummary' })
export const SessionList = z
  .object({
    sessions: z.array(SessionSummary),
    next_cursor: text.nullable(),
    waiting_count: count,
  })
  .meta({ id: 'SessionList' })
export const SessionUpdated = z.object({ ok: z.literal(true), ...summary })

const decision = {
  ask_id: text,
  by: text.optional(),
  at: moment.optional(),
  feedback: text.optional(),
  scope: z.literal('conversation').optional(),
}
const approval = z.object({
  ...decision,
  decision: z.enum(['approved', 'declined', 'expired']).nullable(),
})
const call = z
  .object({
    toolId: text,
    toolName: text,
    label: text.optional(),
    parameters: jsonValue,
    result: jsonValue.optional(),
    content: jsonValue.optional(),
    status: text.optional(),
    duration_ms: count.optional(),
    approval: approval.optional(),
    settled: z
      .object({
        outcome: text,
        status: text.optional(),
        by: text.nullish(),
        at: moment,
      })
      .optional(),
    events: jsonValue.optional(),
  })
  .meta({ id: 'PastCall' })
const message = z
  .object({
    id: text,
    role: z.enum(['user', 'assistant']),
    type: z.enum(['user', 'assistant_text']),
    text,
    timestamp: moment,
    seq: count,
    assets: z
      .array(
        z.object({
          id: text,
          media_type: text,
          bytes: count,
          name: text.optional(),
          data: text.optional(),
        }),
      )
      .optional(),
    toolCalls: z.array(call).optional(),
    finish: text.optional(),
    warnings: z.array(text).optional(),
    end: z
      .object({
        reason: text,
        usage: Usage,
        cost: count.optional(),
        error: z.looseObject({ code: text, message: text }).optional(),
      })
      .optional(),
  })
  .meta({ id: 'SessionMessage' })

export const SessionDetails = z
  .object({
    ...summary,
    state: text,
    seq: count,
    metadata: fields,
    pending_input: z.array(PendingInput),
    unknown_calls: z.array(
      z.object({
        call_id: text,
        tool_name: text,
        at: moment,
        idempotency_key: text,
        can_retry: z.boolean(),
        parameters: jsonValue.optional(),
      }),
    ),
    approvals: z.array(
      approval.extend({
        tool_id: text.optional(),
        tool_name: text.optional(),
        ['asked']: fields,
        asked_at: moment,
        expires_at: moment.optional(),
      }),
    ),
    grants: z.array(
      z.object({
        id: text,
        tool: text,
        endpoint: text.nullable(),
        connection: text.nullable(),
        by: text,
        at: moment,
      }),
    ),
    messages: z.array(message),
  })
  .meta({ id: 'SessionDetails' })

const sums = z.object({ sessions: count, tokens: count, cost: count.nullable() })
export const Stats = z.object({
  sessions: count,
  tokens: z.object({ input: count, output: count, total: count }),
  cost: count.nullable(),
  lastActive: moment.nullable(),
  topModels: z.array(sums.extend({ model: text })),
  topAgents: z.array(sums.extend({ agent: text })),
})

export const Done = z.object({ ok: z.literal(true) })
export const Settled = Done.extend({ settled: jsonValue })
export const Cancelled = Done.extend({
  active: z.boolean(),
  status: z.enum(['canceled', 'cannot_cancel']),
  current_status: z.enum(['idle', 'complete', 'canceled', 'error']).optional(),
})

/** A turn that has ended or waits for a person. */
export const Turn = z
  .object({
    session_id: text,
    sessionId: text,
    response: text,
    tool_calls: z.array(
      z.object({
        tool_name: text,
        tool_id: text,
        args: jsonValue,
        status: z.enum(['success', 'error']),
        duration_ms: count.optional(),
        error: text.optional(),
        result: text.optional(),
      }),
    ),
    reason: text.optional(),
    warnings: z.array(text).optional(),
    usage: Usage.optional(),
    pending_input: z.array(PendingInput).optional(),
  })
  .meta({ id: 'Turn' })

export const TaskBegun = z.object({ task_id: text, session_id: text })
export const Task = TaskBegun.extend({
  status: z.enum(['running', 'completed', 'error']),
  event_count: count,
  created_at: moment,
  pending_input: z.array(PendingInput).optional(),
})
