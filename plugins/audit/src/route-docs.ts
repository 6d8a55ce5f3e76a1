import { ListQuery } from './audit-requests.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/audit': {
    summary: 'lines of the audit log of the tenant, the newest first',
    query: ListQuery,
  },
  'POST /api/audit/verify': { summary: 'verifies the audit log of the tenant' },
}
