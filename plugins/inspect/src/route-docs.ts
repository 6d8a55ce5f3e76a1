import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

const text = z.string()
const count = z.number()
const health = {
  status: z.enum(['starting', 'ok', 'degraded']),
  mode: text.optional(),
  repo_path: text.nullish(),
  name: text.nullish(),
  uptime_ms: count.optional(),
  active_sessions: count.optional(),
  active_runs: count.optional(),
  resident_bytes: count.optional(),
  resident_bytes_limit: count.nullish(),
  model_notice: text.optional(),
  problems: z.array(text).optional(),
  problem_details: z.array(z.looseObject({ text })).optional(),
}
/** Plugins add facts of their own. */
const Health = z.looseObject(health).meta({ id: 'Health' })
const Me = z.object({
  id: text,
  role: text.nullable(),
  roles: z.array(text),
  scopes: z.array(text),
  name: text.optional(),
  scope_id: text.nullable(),
})
const HealthDetails = z.looseObject({
  ...health,
  models: z.array(z.looseObject({ provider: text })),
  issues: z.array(z.looseObject({})),
  runs: z.array(z.looseObject({})),
  errors: z.array(jsonValue),
})

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/config': { summary: 'what the agent is made with; never a credential' },
  'GET /api/me': {
    summary: 'who asks',
    responses: { 200: { about: 'The identity.', body: Me } },
    errors: ['UNAUTHENTICATED'],
  },
  'GET /health': {
    summary: 'how the server fares',
    responses: {
      200: { about: 'The status; more for a known caller.', body: Health },
      503: { about: 'It is starting.', body: Health },
    },
  },
  'GET /inspect/context': { summary: 'what the model is sent, and which plugin put it there' },
  'GET /inspect/health': {
    summary: 'the same with models, problems of files, runs and errors of plugins',
    responses: { 200: { about: 'The details.', body: HealthDetails } },
  },
  'GET /inspect/kernel': {
    summary: 'the wiring of the plugins',
    query: z.object({ format: z.enum(['json', 'text', 'mermaid']).default('json') }),
    responses: {
      200: { about: 'The wiring.', body: z.looseObject({}), types: ['text/plain'] },
    },
  },
  'GET /inspect/knowledge': {
    summary: 'the documents, when the model has them, and problems of their files',
  },
  'GET /inspect/knowledge/:name': { summary: 'one document with its text' },
  'GET /inspect/logs': { summary: 'the newest lines of the log of this process' },
  'GET /inspect/queue': { summary: 'what waits, runs and has failed, by queue, and who takes it' },
  'GET /inspect/sessions/:id': {
    summary: 'what a model was sent last in this session',
    errors: ['SESSION_NOT_FOUND'],
  },
  'GET /inspect/skills': {
    summary: 'the skills, when the model has them, and problems of their files',
  },
  'GET /inspect/skills/:name': { summary: 'one skill with its text' },
}
