import { createHash } from 'node:crypto'
import { failure, type Generation, type MountedRoute, type RouteHandler } from '@amodal/sdk'
import { ErrorKinds, EventKinds } from '@amodal/sdk/inspection'
import { z } from 'zod'
import { failed } from '../failed.ts'
import { describeRoutes } from './route-docs.ts'

export const OPENAPI_PATH = '/openapi.json'

/** The document as it is sent. */
export interface OpenApiText {
  readonly json: string
  readonly etag: string
}

/**
 * Makes the document of a generation, once. Its builder is loaded on the first request: it makes a
 * JSON Schema of everything.
 *
 * @param version of the API
 */
export function openApiTexts(
  version: string,
): (routes: readonly MountedRoute[], generation: Generation) => Promise<OpenApiText> {
  const byGeneration = new WeakMap<object, OpenApiText>()
  return async (routes, generation) => {
    const { openApiDocument } = await import('./document.ts')
    const known = byGeneration.get(generation)
    if (known) return known
    const document = openApiDocument({
      routes,
      errors: generation.registry(ErrorKinds).values(),
      events: generation.registry(EventKinds).values(),
      version,
    })
    const json = JSON.stringify(document)
    const text = { json, etag: `"${createHash('sha256').update(json).digest('base64url')}"` }
    byGeneration.set(generation, text)
    return text
  }
}

/**
 * `GET /openapi.json`: for whoever is admitted, with any scope.
 *
 * @param current the document of the current generation
 */
export const openApiRoute = (current: () => Promise<OpenApiText>): RouteHandler =>
  describeRoutes(
    {
      async fetch({ method, headers }, { identity }) {
        if (method !== 'GET' && method !== 'HEAD')
          return failed(failure('NOT_ALLOWED', `${method} is not offered here; GET is`), {
            allow: 'GET',
          })
        if (!identity) return failed(failure('UNAUTHENTICATED', 'this needs a credential'))
        const { json, etag } = await current()
        const sent = { etag, 'cache-control': 'private, no-cache' }
        return isKnown(headers.get('if-none-match'), etag)
          ? new Response(null, { status: 304, headers: sent })
          : new Response(json, { headers: { ...sent, 'content-type': 'application/json' } })
      },
    },
    {
      [`GET ${OPENAPI_PATH}`]: {
        summary: 'this document: the HTTP API of the agent as OpenAPI 3.1',
        headers: { 'If-None-Match': 'The `ETag` of an earlier response.' },
        responses: {
          200: { about: 'The document.', body: z.looseObject({ openapi: z.string() }) },
          304: { about: 'It has not changed.' },
        },
        errors: ['UNAUTHENTICATED'],
      },
    },
  )

const isKnown = (header: string | null, etag: string): boolean =>
  header?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) === true
