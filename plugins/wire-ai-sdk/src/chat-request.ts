import { isId, ok, type Failure, type Result } from '@amodal/sdk'
import { IdempotencyKey, idempotencyKeyOf } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { uiMessage } from './user-message.ts'

const count = z.number().int().positive().nullish()

/** What `DefaultChatTransport` sends. Fields that nobody here knows are the page's own. */
export const chatRequest = z.object({
  /** The chat, as the client calls it. */
  id: z.string().min(1).max(500).nullish(),
  session_id: z
    .string()
    .refine(isId, 'must be 1 to 128 letters, digits or any of . : @ _ -')
    .nullish(),
  messages: z.array(uiMessage).min(1, 'has the message to be answered').max(20_000),
  trigger: z.enum(['submit-message', 'regenerate-message']).nullish(),
  /** The message that is edited, goes on, or is to be made again. */
  messageId: z.string().max(200).nullish(),
  scope_id: z.string().max(200).nullish(),
  context: z.record(z.string().max(100), z.string().max(10_000)).nullish(),
  max_turns: count,
  max_session_tokens: count,
  model: z
    .object({ provider: z.string().min(1).max(100), model: z.string().min(1).max(200) })
    .nullish(),
})
export type ChatRequest = z.output<typeof chatRequest>

/**
 * By what the message is known when it is sent again: `Idempotency-Key`, or the id that the client
 * gave it.
 */
export function keyOf(
  headers: Headers,
  id: string | null | undefined,
): Result<string | undefined, Failure> {
  const key = idempotencyKeyOf(headers)
  if (!key.ok || key.value !== undefined) return key
  return ok(IdempotencyKey.safeParse(id).data)
}
