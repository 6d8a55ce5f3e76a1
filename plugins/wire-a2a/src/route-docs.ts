import { z } from 'zod'
import type { RouteDoc, RouteDocs } from '@amodal/plugin-http/tokens'

const text = z.string()
/** @see https://google.aip.dev/193 */
const HTTP_ERROR = {
  about: 'An error as A2A has it over HTTP.',
  body: z.looseObject({
    error: z.looseObject({ code: z.int(), status: text, message: text }),
  }),
}
const rest = (summary: string): RouteDoc => ({ summary, errorForm: HTTP_ERROR })

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'POST /a2a': { summary: 'A2A over JSON-RPC; an error is a response of JSON-RPC' },
  'GET /a2a/v1/extendedAgentCard': rest('the agent card for authenticated clients'),
  'POST /a2a/v1/message:send': rest('sends a message, and returns its task'),
  'POST /a2a/v1/message:stream': rest('sends a message, and streams the events of its task'),
  'GET /a2a/v1/tasks': rest('lists tasks'),
  'GET /a2a/v1/tasks/:task': rest('one task'),
  'POST /a2a/v1/tasks/:task': rest('with `:cancel` stops a task, with `:subscribe` follows it'),
  'GET /a2a/v1/tasks/:taskId/pushNotificationConfigs': rest('lists the webhooks of a task'),
  'POST /a2a/v1/tasks/:taskId/pushNotificationConfigs': rest('adds a webhook'),
  'GET /a2a/v1/tasks/:taskId/pushNotificationConfigs/:id': rest('one webhook'),
  'DELETE /a2a/v1/tasks/:taskId/pushNotificationConfigs/:id': rest('removes a webhook'),
}
