import type { RouteHandler } from '@amodal/sdk'
import type { z } from 'zod'
import type { Method } from '../endpoint.ts'

/** A response of a route that is no error. */
export interface ResponseDoc {
  /** When a client gets it, or what it is. */
  readonly about: string
  /** Schema of its JSON. */
  readonly body?: z.ZodType
  /** It is an event stream: of a conversation (`AgentEvent`), or of the server (`RuntimeEvent`). */
  readonly events?: 'conversation' | 'server'
  /** Media types of a response that is neither JSON nor one of these streams. */
  readonly types?: readonly string[]
}

/** What the OpenAPI document says of one method of a path. */
export interface RouteDoc {
  /** What it is for, in one line. */
  readonly summary: string
  readonly description?: string
  /** Name of the operation in generated clients; default: made of the method and the path. */
  readonly operationId?: string
  /** Schema that checks the query. */
  readonly query?: z.ZodObject
  /** Request headers that it reads, with what each is for. */
  readonly headers?: Readonly<Record<string, string>>
  /** Schema that checks the JSON body: the one given to `readJson`. */
  readonly body?: z.ZodType
  /** Media types of a body that is not JSON. */
  readonly bodyTypes?: readonly string[]
  /** By status; default: `200` without a schema. */
  readonly responses?: Readonly<Record<number, ResponseDoc>>
  /** Codes of errors, in addition to those of every route. */
  readonly errors?: readonly string[]
  /** Where its errors have another form than `{ error: { code, message } }`. */
  readonly errorForm?: ErrorForm
}

/** The form that a protocol gives its errors, of whichever status. */
export interface ErrorForm {
  /** What the form is, such as `An error as A2A defines it.` */
  readonly about: string
  /** Schema of its JSON; a page or a text has none. */
  readonly body?: z.ZodType
}

/** By method and path, such as `GET /notes/:id`. */
export type RouteDocs = Readonly<Record<`${Method} /${string}`, RouteDoc>>

const DOCS = Symbol.for('amodal.routes')

/**
 * Describes the routes of a handler for `GET /openapi.json`. Of a Hono app each description belongs
 * to one of its routes; of any other handler the descriptions are the routes.
 *
 * @returns the same handler
 * @example
 * table.mount('/notes', describeRoutes(app, {
 *   'GET /notes/:id': { summary: 'one note', responses: { 200: { about: 'It', body: Note } } },
 * }))
 */
export function describeRoutes<H extends RouteHandler>(handler: H, docs: RouteDocs): H {
  return Object.defineProperty(handler, DOCS, {
    value: { ...docsOf(handler), ...docs },
    configurable: true,
  })
}

/** The descriptions that `describeRoutes` has given a handler. */
export function docsOf(handler: RouteHandler): RouteDocs {
  return DOCS in handler ? (handler[DOCS] as RouteDocs) : {} // nothing else sets it
}
