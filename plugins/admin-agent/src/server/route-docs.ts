import { Chosen } from './changes.ts'
import { Written } from './files.ts'
import { Value } from './secrets.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

const NO_FILE = ['ADMIN_PATH_REFUSED', 'ADMIN_FILE_NOT_FOUND'] as const
const NO_CHANGE = ['ADMIN_CHANGE_NOT_FOUND'] as const

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/files': { summary: 'lists the files of the agent folder' },
  'GET /api/files/*': { summary: 'one file', errors: NO_FILE },
  'PUT /api/files/*': {
    summary: 'writes a file, where the agent still loads with it',
    body: Written,
    errors: ['ADMIN_PATH_REFUSED'],
  },
  'DELETE /api/files/*': {
    summary: 'removes a file, where the agent still loads without it',
    errors: NO_FILE,
  },
  'GET /api/secrets': { summary: 'which secrets the files refer to, and whether each is set' },
  'GET /api/secrets/:name': { summary: 'whether one secret is set' },
  'PUT /api/secrets/:name': { summary: 'writes a secret into `.env`', body: Value },
  'DELETE /api/secrets/:name': { summary: 'removes a secret from `.env`' },
  'GET /config': { summary: "opens the studio's view in which the agent is changed" },
  'GET /config/changes': {
    summary: 'what sessions of the admin agent propose, and what was accepted',
  },
  'POST /config/changes/:id/undo': {
    summary: 'writes back what was there before an accepted change',
    errors: NO_CHANGE,
  },
  'GET /config/changes/:session': { summary: 'what one session proposes, with its lines' },
  'POST /config/changes/:session/accept': {
    summary: 'writes proposed files, all or none',
    body: Chosen,
  },
  'POST /config/changes/:session/discard': { summary: 'forgets proposed files', body: Chosen },
  'POST /config/chat': { summary: 'sends a message to the admin agent, as `POST /chat` does' },
}
