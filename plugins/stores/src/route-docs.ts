import { Payload, Query } from './store-requests.ts'
import { Removed, StoredDocument, DocumentPage, StoreList, Written } from './store-answers.ts'
import { z } from 'zod'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/stores': {
    summary: 'lists the stores',
    responses: { 200: { about: 'Those that the caller may read.', body: StoreList } },
  },
  'GET /api/stores/:name': {
    summary: 'lists or searches documents of a store',
    query: Query.extend({ filter: z.string().optional() }),
    responses: { 200: { about: 'A page of them.', body: DocumentPage } },
  },
  'POST /api/stores/:name': {
    summary: 'writes a document',
    body: Payload,
    headers: {
      'Idempotency-Key': 'The same key is the same write.',
      'If-Match': 'The version that is replaced.',
      'If-None-Match': '`*`: only where there is none.',
    },
    responses: { 201: { about: 'It is stored.', body: Written } },
    errors: ['STORE_CONFLICT', 'STORE_READ_ONLY', 'MESSAGE_CONFLICT', 'STORE_FAILED'],
  },
  'GET /api/stores/:name/:key': {
    summary: 'one document with its earlier versions',
    responses: { 200: { about: 'It.', body: StoredDocument } },
  },
  'DELETE /api/stores/:name/:key': {
    summary: 'removes a document with its earlier versions',
    headers: { 'Idempotency-Key': 'The same key is the same removal.' },
    responses: { 200: { about: 'It is removed.', body: Removed } },
    errors: ['STORE_READ_ONLY', 'STORE_FAILED'],
  },
}
