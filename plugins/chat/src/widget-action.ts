import { wrapUntrusted } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'
import type { ChatRequest } from './chat-request.ts'

const id = z.string().max(200).nullish()

/** A click in a widget that the agent has shown. */
export const widgetAction = z
  .object({
    session_id: id,
    sessionId: id,
    scope_id: id,
    /** What was clicked, as the widget names it. */
    action: z.string().trim().min(1).max(200),
    widget_type: z.string().max(100).nullish(),
    /** What belongs to it, such as the row that was chosen. */
    data: jsonValue.optional(),
    stream: z.boolean().nullish(),
  })
  .refine(({ session_id, sessionId }) => Boolean(session_id ?? sessionId), {
    path: ['session_id'],
    message: 'names the session whose widget it is',
  })

/**
 * The same as a message. That somebody clicked is their word; what a widget calls it, and the data
 * behind it, is what the agent has put there, which may have it from anywhere.
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
