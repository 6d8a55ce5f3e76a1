import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/config': { summary: 'what the agent is made with; never a credential' },
  'GET /api/me': { summary: 'who asks' },
  'GET /health': { summary: 'how the server fares' },
  'GET /inspect/context': { summary: 'what the model is sent, and which plugin put it there' },
  'GET /inspect/health': {
    summary: 'the same with models, problems of files, runs and errors of plugins',
  },
  'GET /inspect/kernel': { summary: 'the wiring of the plugins' },
  'GET /inspect/knowledge': {
    summary: 'the documents, when the model has them, and problems of their files',
  },
  'GET /inspect/knowledge/:name': { summary: 'one document with its text' },
  'GET /inspect/logs': { summary: 'the newest lines of the log of this process' },
  'GET /inspect/queue': { summary: 'what waits, runs and has failed, by queue, and who takes it' },
  'GET /inspect/sessions/:id': { summary: 'what a model was sent last in this session' },
  'GET /inspect/skills': {
    summary: 'the skills, when the model has them, and problems of their files',
  },
  'GET /inspect/skills/:name': { summary: 'one skill with its text' },
}
