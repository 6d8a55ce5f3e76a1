import { Asked, Other, Page, Promoted, Replayed, Resumed } from './eval-requests.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'POST /api/evals/promote': {
    summary: 'a conversation as an eval case, without its personal data',
    body: Promoted,
  },
  'POST /api/evals/replay': {
    summary: 'replays a session, as it is or with a changed agent, and says where they differ',
    body: Replayed,
  },
  'POST /api/evals/run': {
    summary: 'begins a run of evals, as a job; answers with its id',
    body: Asked,
  },
  'GET /api/evals/runs': {
    summary: 'lists runs of evals with their summaries, the newest first',
    query: Page,
  },
  'GET /api/evals/runs/:id': { summary: 'one run of evals, with its results' },
  'POST /api/evals/runs/:id/cancel': { summary: 'cancels a run of evals' },
  'GET /api/evals/runs/:id/compare': {
    summary: 'two runs of evals side by side, case by case',
    query: Other,
  },
  'POST /api/evals/runs/:id/resume': {
    summary: 'has a run of evals that has stopped go on',
    body: Resumed,
  },
  'GET /api/evals/suites': {
    summary: 'suites of evals with their cases, and what is wrong with their files',
  },
}
