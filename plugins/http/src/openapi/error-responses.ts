import { CODES, type ErrorKind, type JsonObject } from '@amodal/sdk'
import { isKnownCode, STATUSES } from '@amodal/sdk/inspection'
import { CODE_SPELLINGS } from '../failed.ts'
import type { Operation } from './operations.ts'
import type { ErrorForm } from './route-docs.ts'
import type { Schemas } from './schemas.ts'

/** Codes with which any request can end, whatever its route. */
const OF_EVERY_ROUTE = ['VALIDATION_ERROR', 'RATE_LIMITED', 'INTERNAL', 'TIMEOUT'] as const
const OF_CLOSED_ROUTES = ['UNAUTHENTICATED', 'FORBIDDEN_SCOPE', 'FORBIDDEN_ORIGIN'] as const
const OF_BODIES = ['TOO_LARGE', 'UNSUPPORTED_MEDIA'] as const

const ERROR: JsonObject = { $ref: '#/components/schemas/Error' }

/** The codes that clients can meet, each with its status and its next step. */
export class ErrorResponses {
  readonly #kinds: ReadonlyMap<string, ErrorKind>
  readonly #schemas: Schemas

  constructor(kinds: Iterable<ErrorKind>, schemas: Schemas) {
    this.#schemas = schemas
    this.#kinds = new Map([...kinds].map((kind) => [kind.code, kind]))
    const codes = [...Object.keys(CODES), ...this.#kinds.keys()]
    schemas.share('ErrorCode', {
      type: 'string',
      description:
        'What has happened. A code without a status comes in a stream, in the result of a tool or at the start.',
      enum: [...new Set([...codes, ...codes.map(spelled)])].toSorted(),
      'x-codes': codes.toSorted().map((code) => ({
        code,
        ...(this.#statusOf(code) === undefined ? {} : { status: this.#statusOf(code) ?? null }),
        fix: this.#fixOf(code),
      })),
    })
    schemas.share('Error', {
      type: 'object',
      properties: {
        error: {
          type: 'object',
          properties: {
            code: { $ref: '#/components/schemas/ErrorCode' },
            message: { type: 'string', description: 'What has happened, where, and what to do.' },
          },
          required: ['code', 'message'],
        },
      },
      required: ['error'],
    })
  }

  /** Responses by status, each with the codes that it can have. */
  of({ doc, path, route, method }: Operation): JsonObject {
    if (doc?.errorForm) return { default: this.#foreign(doc.errorForm) }
    const isOpen = route.options.open === true
    const hasBody = doc?.body !== undefined || doc?.bodyTypes !== undefined
    const codes = [
      ...OF_EVERY_ROUTE,
      ...(isOpen ? [] : OF_CLOSED_ROUTES),
      ...(hasBody || method === 'POST' ? OF_BODIES : []),
      ...(path.includes(':') || path.includes('*') ? ['NOT_FOUND'] : []),
      ...(doc?.errors ?? []),
    ]
    const byStatus = Map.groupBy(new Set(codes), (code) => this.#statusOf(code) ?? 500)
    return Object.fromEntries(
      [...byStatus]
        .toSorted(([a], [b]) => a - b)
        .map(([status, of]) => [String(status), this.#response(of)]),
    )
  }

  /** What a protocol answers itself, or what the server answers before a request reaches it. */
  #foreign({ about, body }: ErrorForm): JsonObject {
    const own = body ? [this.#schemas.of(body)] : []
    const content = {
      'application/json': { schema: { anyOf: [...own, ERROR] } },
      ...(!body && { 'text/*': {} }),
    }
    return { description: about, content }
  }

  #response(codes: readonly string[]): JsonObject {
    return {
      description: codes.map((code) => `\`${spelled(code)}\`: ${this.#fixOf(code)}`).join('\n\n'),
      content: { 'application/json': { schema: ERROR } },
    }
  }

  #statusOf(code: string): number | undefined {
    const kind = this.#kinds.get(code)
    return kind?.status ?? (code in STATUSES ? BY_CODE[code] : undefined)
  }

  #fixOf(code: string): string {
    return this.#kinds.get(code)?.fix ?? (isKnownCode(code) ? CODES[code] : '')
  }
}

const BY_CODE: Readonly<Record<string, number>> = STATUSES

/** As it stands in a response: some codes have another spelling there. */
const spelled = (code: string): string => CODE_SPELLINGS[code] ?? code
