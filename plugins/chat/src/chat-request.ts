import { isId, sessionId, type RunLimitsRequest, type SendRequest } from '@amodal/sdk'
import { publicHeaders } from '@amodal/sdk/wire'
import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'
import { assets, images } from './assets.ts'

export interface MessageLimits {
  readonly maxMessageChars: number
}

const id = z.string().refine(isId, 'must be 1 to 128 letters, digits or any of . : @ _ -')
/** Clients send `null` for values that they do not have yet. */
const count = z.number().int().positive().nullish()

const words = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => text.trim() !== '', 'must not be empty')
const model = z
  .object({ provider: z.string().min(1).max(100), model: z.string().min(1).max(200) })
  .nullish()
const context = z
  .record(z.string().max(100), z.string().max(10_000))
  .refine((context) => Object.keys(context).length <= 50, 'at most 50 entries')
  .nullish()

/**
 * The body of every route that accepts a message. Unknown fields are ignored; ids have two
 * spellings.
 */
export const chatRequest = ({ maxMessageChars }: MessageLimits) =>
  z
    .object({
      /** Optional if the message has files. */
      message: z
        .string()
        .max(maxMessageChars)
        .nullish()
        .transform((text) => text ?? ''),
      images: images.nullish(),
      assets: assets.nullish(),
      session_id: id.nullish(),
      sessionId: id.nullish(),
      session_type: z.enum(['chat', 'admin', 'automation']).nullish(),
      deploy_id: z.string().max(200).nullish(),
      scope_id: z.string().max(200).nullish(),
      max_session_tokens: count,
      max_turns: count,
      maxTurns: count,
      model,
      context,
      /** Switches plan mode of the session on or off. */
      plan_mode: z.boolean().nullish(),
      /** JSON Schema of the answer. */
      response_schema: z.record(z.string(), jsonValue).nullish(),
      stream: z.boolean().nullish(),
    })
    .refine(({ session_id, sessionId }) => !session_id || !sessionId || session_id === sessionId, {
      path: ['sessionId'],
      message: 'is another session than session_id',
    })
    .refine(
      ({ message, images, assets }) =>
        message.trim() !== '' || (images?.length ?? 0) + (assets?.length ?? 0) > 0,
      { path: ['message'], message: 'must not be empty' },
    )

export type ChatRequest = z.output<ReturnType<typeof chatRequest>>

/** The body of a task, which starts a new session. */
export const taskRequest = ({ maxMessageChars }: MessageLimits) =>
  z.object({
    prompt: words(maxMessageChars),
    scope_id: z.string().max(200).nullish(),
    max_session_tokens: count,
    max_turns: count,
    model,
    context,
  })

export function toSend(body: ChatRequest, key: string | undefined, headers: Headers): SendRequest {
  const session = body.session_id ?? body.sessionId
  const maxTurns = body.max_turns ?? body.maxTurns
  const files = [...(body.images ?? []), ...(body.assets ?? [])]
  const limits: RunLimitsRequest = {
    ...(maxTurns && { maxTurns }),
    ...(body.max_session_tokens && { maxSessionTokens: body.max_session_tokens }),
    ...(body.model && { model: body.model }),
  }
  return {
    text: body.message,
    limits,
    ...(session ? { session: sessionId(session) } : { headers: publicHeaders(headers) }),
    ...(files.length > 0 && { assets: files }),
    ...(body.context && { context: body.context }),
    ...(typeof body.plan_mode === 'boolean' && {
      sessionState: { 'plan-mode': { active: body.plan_mode } },
    }),
    ...(key && { key }),
  }
}
