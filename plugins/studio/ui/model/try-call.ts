import type { Json, JsonObject } from '@amodal/sdk'
import { ClientError } from '@amodal/sdk/client'
import { fieldOf, type OperationShown, type Server } from './server.ts'

/** What came of a call that was tried. */
export interface TryOutcome {
  readonly session_id: string
  readonly call_id: string
  readonly status: 'success' | 'error' | 'waiting' | 'stopped'
  readonly ms?: number
  readonly result?: string
  readonly code?: string
  readonly message?: string
}

/** ms for which an outcome is awaited; a call may be repeated by the connection. */
const WAIT_MS = 150_000

/**
 * Calls one operation, or gives the outcome of a call that waited for a decision.
 *
 * @param key the same for the same call
 */
export async function tryCall(
  server: Server,
  connection: string,
  call: JsonObject,
  key: string,
): Promise<TryOutcome> {
  const response = await server.request(`/api/connections/${encodeURIComponent(connection)}/try`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(call),
    signal: AbortSignal.timeout(WAIT_MS),
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body as TryOutcome // the server's contract
  throw new ClientError(
    fieldOf(body, 'code') ?? 'INTERNAL',
    fieldOf(body, 'message') ?? response.statusText,
    response.status,
  )
}

/** The fields of the form, as text. */
export interface TryDraft {
  readonly method: string
  readonly endpoint: string
  /** Values of `{name}` in the endpoint, and of query parameters that are known. */
  readonly values: Readonly<Record<string, string>>
  readonly params: string
  readonly body: string
}

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const
export const takesBody = (method: string): boolean => !['GET', 'HEAD', 'OPTIONS'].includes(method)

/** A form for an operation; an empty one where none is chosen. */
export const draftOf = (operation: OperationShown | undefined): TryDraft => ({
  method: operation?.method ?? 'GET',
  endpoint: operation?.path ?? '',
  values: {},
  params: '',
  body: '',
})

/** Names in braces: `/invoices/{id}`. */
export const placesIn = (endpoint: string): readonly string[] => [
  ...new Set([...endpoint.matchAll(/\{([^{}]+)\}/g)].flatMap(([, name]) => name ?? [])),
]

/** A draft as the body of a request, or what is wrong with it. */
export type TryRequest =
  | { readonly ok: true; readonly call: JsonObject }
  | { readonly ok: false; readonly missing: string }
  | { readonly ok: false; readonly noObject: 'params' }

export function requestOf(draft: TryDraft, queries: readonly string[]): TryRequest {
  const { body, endpoint, method, params, values } = draft
  const empty = placesIn(endpoint).find((name) => (values[name] ?? '') === '')
  if (empty !== undefined) return { ok: false, missing: empty }
  const path = endpoint.replaceAll(/\{([^{}]+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  )
  const written = params.trim() === '' ? {} : jsonIn(params)
  if (!isRecord(written)) return { ok: false, noObject: 'params' }
  const query = {
    ...Object.fromEntries(
      queries.flatMap((name) => {
        const value = values[name] ?? ''
        return value === '' ? [] : [[name, value] as const]
      }),
    ),
    ...written,
  }
  return {
    ok: true,
    call: {
      method,
      endpoint: path,
      ...(Object.keys(query).length > 0 && { params: query }),
      ...(takesBody(method) && body.trim() !== '' && { data: jsonIn(body) ?? body }),
    },
  }
}

/** The value of a text; `undefined` where it is no JSON. */
export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json // it was parsed
  } catch {
    return undefined
  }
}

export const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
