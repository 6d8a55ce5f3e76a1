import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'POST /a2a': { summary: 'A2A over JSON-RPC' },
  'GET /a2a/v1/extendedAgentCard': { summary: 'the agent card for those who are let in' },
  'POST /a2a/v1/message:send': { summary: 'sends a message; its task' },
  'POST /a2a/v1/message:stream': { summary: 'sends a message; events of its task' },
  'GET /a2a/v1/tasks': { summary: 'lists tasks' },
  'GET /a2a/v1/tasks/:task': { summary: 'a task' },
  'POST /a2a/v1/tasks/:task': {
    summary: 'with `:cancel` stops a task, with `:subscribe` follows it',
  },
  'GET /a2a/v1/tasks/:taskId/pushNotificationConfigs': { summary: 'lists who is told of a task' },
  'POST /a2a/v1/tasks/:taskId/pushNotificationConfigs': { summary: 'adds somebody' },
  'GET /a2a/v1/tasks/:taskId/pushNotificationConfigs/:id': { summary: 'one of them' },
  'DELETE /a2a/v1/tasks/:taskId/pushNotificationConfigs/:id': { summary: 'removes one' },
}
