import { jsonValue } from '@amodal/sdk/data'
import { RUN_STATUSES } from '@amodal/sdk/wire'
import { z } from 'zod'

const iso = z.iso.datetime()
const STATUS = z.enum(RUN_STATUSES)
const Tokens = z.looseObject({
  input: z.int(),
  output: z.int(),
  cacheRead: z.int(),
  cacheCreate: z.int(),
})
const Pending = z.looseObject({
  ask_id: z.string(),
  pending_input_type: z.enum(['approval', 'question', 'form', 'continue_or_finish']),
  pending_input_schema: z.record(z.string(), jsonValue),
  pending_input_context: z.record(z.string(), jsonValue),
  expires_at: iso.optional(),
})
export const Session = z.looseObject({
  success: z.boolean(),
  session_id: z.string(),
  status: STATUS,
  profile_id: z.string(),
  task: z.string(),
  started_by: z.string(),
  created_at: iso,
  updated_at: iso,
  started_at: iso.nullable(),
  completed_at: iso.nullable(),
  turns_used: z.int(),
  result_artifact_id: z.string().nullable(),
  result_summary: z.string().nullable(),
  result: jsonValue.nullable(),
  session_error: z.string().optional(),
  pending_input: Pending.optional(),
  pending_inputs: z.array(Pending).optional(),
  progress: z.looseObject({
    turnsCompleted: z.int(),
    toolsUsed: z.array(z.looseObject({ toolId: z.string(), count: z.int() })),
    currentState: z.string(),
    tokensUsed: Tokens,
  }),
  events: z.array(z.looseObject({ type: z.string(), timestamp: iso })).optional(),
})
export const Started = z.looseObject({
  success: z.boolean(),
  session_id: z.string(),
  status: STATUS,
  profile_id: z.string(),
  created_at: iso,
})
export const Listed = Started.omit({ success: true }).extend({
  task: z.string().describe('Its beginning, in one line'),
  started_by: z.string(),
  started_at: iso.nullable(),
  completed_at: iso.nullable(),
  turns_used: z.int(),
})
export const Artifact = z.looseObject({
  success: z.boolean(),
  artifact: z.looseObject({
    id: z.string(),
    version: z.int(),
    type: z.string(),
    title: z.string(),
    tags: z.array(z.string()),
    content_markdown: z.string().nullable(),
    content_json: jsonValue.nullable(),
    citations: z.array(z.looseObject({ id: z.int(), quote: z.string() })),
    content_hash: z.string(),
    session_id: z.string(),
    created_at: iso,
  }),
})
export const Link = z.looseObject({
  success: z.boolean(),
  id: z.string(),
  version: z.int(),
  url: z.url(),
  expires_at: iso,
})
export const Events = z.looseObject({
  session_id: z.string(),
  status: STATUS,
  events: z.array(z.looseObject({ type: z.string(), timestamp: iso })),
  has_more: z.boolean(),
  next_after: z.string().nullable(),
})
export const Artifacts = z.looseObject({
  session_id: z.string(),
  artifacts: z.array(z.looseObject({ id: z.string(), version: z.int(), title: z.string() })),
})
export const Profile = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  max_turns: z.int().nullable(),
  model: z.string().nullable(),
  produces_artifact_type: z.string().nullable(),
})
export const Failed = z.looseObject({
  success: z.boolean().optional(),
  status: z.string().optional(),
  error: z.looseObject({ code: z.string(), message: z.string() }),
})
export const Changed = z.looseObject({
  success: z.boolean(),
  session_id: z.string(),
  status: z.string(),
})
