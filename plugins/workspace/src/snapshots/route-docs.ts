import type { RouteDocs } from '@amodal/plugin-http/tokens'
import { DiffQuery, UndoBody } from './requests.ts'

const ERRORS = ['SESSION_NOT_FOUND', 'WORKSPACE_SNAPSHOT_MISSING'] as const

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /sessions/:id/workspace': {
    summary: 'the files of the workspace of a session, and the runs that changed it',
    errors: ['SESSION_NOT_FOUND'],
  },
  'GET /sessions/:id/workspace/files/*': {
    summary: 'the bytes of a file of the workspace',
    responses: { 200: { about: 'The file, as a download.', types: ['application/octet-stream'] } },
    errors: [...ERRORS, 'WORKSPACE_FILE_MISSING'],
  },
  'GET /sessions/:id/workspace/diff': {
    summary: 'what a run, or everything between two snapshots, changed in the workspace',
    query: DiffQuery,
    errors: ERRORS,
  },
  'POST /sessions/:id/workspace/undo': {
    summary: 'makes the workspace what it was before a run',
    body: UndoBody,
    errors: ERRORS,
  },
}
