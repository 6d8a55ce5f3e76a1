import { z } from 'zod'
import type { RouteDocs } from '@amodal/plugin-http/tokens'
import { Address } from './uploads.ts'

const Asset = z
  .object({
    id: z.string(),
    media_type: z.string(),
    bytes: z.number(),
    name: z.string().optional(),
    used_at: z.iso.datetime(),
  })
  .meta({ id: 'Asset' })

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'POST /assets': {
    summary: 'uploads files for messages: the body, a form with several, or the address of one',
    body: Address,
    bodyTypes: ['multipart/form-data', '*/*'],
    responses: { 201: { about: 'They are stored.', body: z.object({ assets: z.array(Asset) }) } },
    errors: [
      'ASSET_UNSUPPORTED',
      'ASSET_TOO_LARGE',
      'ASSET_NOT_FETCHED',
      'OUTBOUND_REFUSED',
      'OUTBOUND_FAILED',
    ],
  },
  'GET /assets/:id': {
    summary: 'an uploaded file, to save',
    responses: { 200: { about: 'The file.', types: ['*/*'] } },
    errors: ['ASSET_NOT_FOUND'],
  },
  'DELETE /assets/:id': {
    summary: 'deletes an uploaded file of the caller',
    responses: { 204: { about: 'It is deleted.' } },
    errors: ['ASSET_NOT_FOUND'],
  },
}
