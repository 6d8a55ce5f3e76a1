import { TryRequest } from './try-request.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const TRY_DOCS: RouteDocs = {
  'POST /api/connections/:name/try': {
    summary: 'calls one operation of a connection as the model would, under the same rules',
    body: TryRequest,
    headers: { 'Idempotency-Key': 'The same key is the same call.' },
  },
}
