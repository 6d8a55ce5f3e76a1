import type { RouteDocs } from '@amodal/plugin-http/tokens'
import { CONTENT_TYPE } from './content-type.ts'

/** What `GET /openapi.json` says of this route. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /metrics': {
    summary: 'metrics of this process, as Prometheus reads them',
    responses: { 200: { about: 'Metrics in the text format.', types: [CONTENT_TYPE] } },
    errors: ['FORBIDDEN_SCOPE'],
  },
}
