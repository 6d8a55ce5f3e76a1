import {
  redact,
  trySync,
  type AgentEvents,
  type Json,
  type JsonObject,
  type PendingAsk,
  type ToolContent,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'

/** A question that waits, with what an answer has to look like. */
export const shownAsk = ({
  id,
  type,
  call,
  schema,
  context,
  expires_at,
}: PendingAsk): JsonObject => ({
  id,
  ...(call && { tool_call_id: call }),
  type,
  schema,
  context: redact(context),
  ...(expires_at !== undefined && { expires_at: new Date(expires_at).toISOString() }),
})

/** What a person decides about. */
export const descriptorOf = (asked: AgentEvents['confirmation_required']): JsonObject => ({
  endpoint: asked.endpoint,
  method: asked.method,
  connection_name: asked.connection_name,
  tier: asked.tier,
  escalated: asked.escalated,
  params: redact(asked.params),
  ...(asked.expires_at !== undefined && { expires_at: asked.expires_at }),
})

/** The output of a tool: where it was JSON, it is again. */
export function outputOf(text: string): Json {
  if (!/^[[{]/.test(text)) return text
  const parsed = trySync(
    () => parseExact(text) as Json, // JSON text
    () => undefined,
  )
  return parsed.ok ? parsed.value : text
}

/** Pictures among the parts of a result. */
export const picturesOf = (
  content: readonly ToolContent[] | undefined,
): readonly { readonly url: string; readonly mediaType: string }[] =>
  (content ?? []).flatMap((part) =>
    part.type === 'image' && part.audience !== 'model'
      ? [
          {
            url: part.isUrl === true ? part.data : `data:${part.mimeType};base64,${part.data}`,
            mediaType: part.mimeType,
          },
        ]
      : [],
  )

/** The id of the reply to a message: always the same, so that a replay takes the reply's place. */
export const replyId = (key: string): string => `${key}:reply`
