import { isId, sessionId, type SessionId } from '@amodal/sdk'
import { isStorable, jsonValue, NOT_STORABLE } from '@amodal/sdk/data'
import { z } from 'zod'
import { RUN_STATUSES } from '@amodal/sdk/wire'
import type { Place } from './run-statements.ts'

/** A body with a task: `POST /agents/run` and `agents.start`. */
export const startRequest = (maxTaskChars: number) =>
  z.object({
    profile_id: z.string().min(1).max(64).describe('A profile that `profiles` lists'),
    task: z
      .string()
      .max(maxTaskChars)
      .refine((text) => text.trim() !== '', 'must not be empty')
      .refine(isStorable, NOT_STORABLE)
      .describe('What is to be done'),
    input_params: z
      .record(z.string().max(100), jsonValue)
      .refine(isStorable, NOT_STORABLE)
      .optional()
      .describe('Facts that the profile interprets'),
    async: z
      .boolean()
      .default(true)
      .describe('`false` waits for the end, or for a question, for a minute at most'),
    webhook_url: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .optional()
      .describe('Is told when the run asks a person and when it ends'),
    webhook_artifact_link: z
      .boolean()
      .optional()
      .describe(
        'The webhook of the end has `result_artifact_url`, which opens without a credential',
      ),
    scope_id: z.string().max(200).nullish(),
  })
export type StartRequest = z.output<ReturnType<typeof startRequest>>

export const ResumeRequest = z.object({
  input: z
    .record(z.string(), jsonValue)
    .refine(isStorable, NOT_STORABLE)
    .describe('An answer that fits `pending_input_schema`'),
  ask_id: z
    .string()
    .max(200)
    .optional()
    .describe('Which question is answered, where several wait; the first where it is left out'),
})
export type ResumeRequest = z.output<typeof ResumeRequest>

export const CancelRequest = z.object({
  reason: z
    .string()
    .max(2_000)
    .refine(isStorable, NOT_STORABLE)
    .optional()
    .describe('Kept with the run'),
})

const flag = z
  .union([z.boolean(), z.enum(['true', 'false', '1', '0'])])
  .transform((value) => value === true || value === 'true' || value === '1')

export const StatusQuery = z.object({
  include_events: flag.optional().describe('With the last 50 events'),
})
export const ArtifactQuery = z.object({
  version: z.coerce.number().int().min(1).optional().describe('The newest where it is left out'),
  include_versions: flag.optional().describe('With a list of all versions'),
})
export const LinkRequest = z.object({
  version: z.int().min(1).optional().describe('The newest where it is left out'),
  expires_in_seconds: z
    .int()
    .min(1)
    .optional()
    .describe('As long as links may be good for where it is left out'),
})
export type LinkRequest = z.output<typeof LinkRequest>

/** `2.1`: the event behind that one. */
const EventCursor = z.string().regex(/^\d{1,15}\.\d{1,6}$/, 'must be a `next_after`')

export const EventsQuery = z.object({
  after: EventCursor.optional().describe('`next_after` of the last page; from the first one on'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export type EventsQuery = z.output<typeof EventsQuery>

/** A cursor that a list has given, or a time. */
function readPlace(text: string, context: z.RefinementCtx): Place {
  const [, at = '', session = ''] = /^([^_]*)(?:_([\w-]{1,100}))?$/.exec(text) ?? []
  if (!z.iso.datetime().safeParse(at).success)
    context.addIssue({ code: 'custom', message: 'must be a `next_before`, or a time' })
  return { at, session }
}

/** The cursor of a list. Clients take it as it is. */
export const cursorOf = ({ at, session }: Place): string => `${at}_${session}`

export const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  before: z
    .string()
    .transform(readPlace)
    .optional()
    .describe('`next_before` of the last page, or a time (ISO 8601): what was started before'),
  status: z
    .enum(RUN_STATUSES)
    .optional()
    .describe('Only runs that stand there; a page of them may have fewer than `limit`'),
})

export type ListQuery = z.output<typeof ListQuery>

/** A session's id, or nothing that could be one: that is answered as an unknown one is. */
export const readSession = (text: string): SessionId | undefined =>
  isId(text) ? sessionId(text) : undefined
