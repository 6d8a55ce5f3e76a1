import { wrapUntrusted } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'
import type { ChatRequest } from './chat-request.ts'

const id = z.string().max(200).nullish()

/** A click in a widget of the agent. */
export const widgetAction = z
  .object({
    session_id: id,
    sessionId: id,
    scope_id: id,
    /** The name of the clicked action. */
    action: z.string().trim().min(1).max(200),
    widget_type: z.string().max(100).nullish(),
    /** Data of the action, such as the chosen row. */
    data: jsonValue.optional(),
    stream: z.boolean().nullish(),
  })
  .refine(({ session_id, sessionId }) => Boolean(session_id ?? sessionId), {
    path: ['session_id'],
    message: 'names the session whose widget it is',
  })

/**
 * A click as a message. Only the click itself comes from the person; its name and data come from
 * the agent and are untrusted.
 */
export function clickedMessage({
  action,
  widget_type: type,
  data,
  ...rest
}: z.output<typeof widgetAction>): ChatRequest {
  return {
    ...rest,
    message: `I chose this in a widget that you showed:\n${wrapUntrusted(JSON.stringify({ action, ...(data !== undefined && { data }) }), `widget ${type ?? ''}`.trim())}`,
  }
}
