import type { RouteDocs } from '@amodal/plugin-http/tokens'
import {
  ListAnswer,
  PointerAnswer,
  Promoted,
  PushedAnswer,
  RolledBack,
  StatusAnswer,
} from './route-shapes.ts'

const PUSHED = {
  about: 'It is stored. Nothing uses it before it is promoted.',
  body: PushedAnswer,
}
const MOVED = { 200: { about: 'What new sessions get now.', body: PointerAnswer } }

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/deployments': {
    summary: 'lists snapshots, the newest first',
    responses: { 200: { about: 'The newest first.', body: ListAnswer } },
  },
  'POST /api/deployments': {
    summary: 'stores a snapshot, after every hash was compared',
    bodyTypes: ['application/octet-stream'],
    responses: { 200: { ...PUSHED, about: 'It was there already.' }, 201: PUSHED },
    errors: ['SNAPSHOT_UNREADABLE', 'SNAPSHOT_TAMPERED', 'SNAPSHOT_REFUSED'],
  },
  'GET /api/deployments/status': {
    summary: 'which snapshot is in use, and who deployed what',
    responses: { 200: { about: 'As this instance sees it.', body: StatusAnswer } },
  },
  'POST /api/deployments/promote': {
    summary: 'gives new sessions a snapshot, or a share of them',
    body: Promoted,
    responses: MOVED,
    errors: ['DEPLOYMENT_NOT_FOUND', 'SNAPSHOT_REFUSED'],
  },
  'POST /api/deployments/rollback': {
    summary: 'gives new sessions what was in use before',
    body: RolledBack,
    responses: MOVED,
    errors: ['DEPLOYMENT_NOT_FOUND', 'NO_EARLIER_DEPLOYMENT', 'SNAPSHOT_REFUSED'],
  },
}
