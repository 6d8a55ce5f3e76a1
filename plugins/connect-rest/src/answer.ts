import {
  mapTexts,
  quoting,
  type Json,
  type OutboundResponse,
  type ToolContent,
  type ToolResult,
} from '@amodal/sdk'
import { ellipsis, textStart, parseExact } from '@amodal/sdk/data'

const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const MOST_IMAGE_BYTES = 1_000_000
const MOST_ERROR_CHARS = 600

/**
 * What an answer holds: JSON as a value, text as text, anything else as what it is and how much of
 * it.
 */
export function readBody(response: OutboundResponse): {
  readonly value: Json
  readonly content?: readonly ToolContent[]
} {
  const { status, headers, body } = response
  if (body.byteLength === 0) return { value: { status } }
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (/[/+]json$|^application\/json/.test(type) || type === '') {
    const parsed = asJson(response.text())
    if (parsed !== undefined) return { value: parsed }
  }
  if (isText(type, body)) return { value: decoded(response) }
  const described = {
    content_type: type === '' ? 'application/octet-stream' : type,
    bytes: body.byteLength,
  }
  if (!IMAGES.has(type) || body.byteLength > MOST_IMAGE_BYTES) return { value: described }
  return {
    value: described,
    content: [{ type: 'image', mimeType: type, data: Buffer.from(body).toString('base64') }],
  }
}

function asJson(text: string): Json | undefined {
  try {
    return parseExact(text) as Json // it was JSON text
  } catch {
    return undefined
  }
}

function isText(type: string, body: Uint8Array): boolean {
  if (
    /^text\/|[/+](?:x-)?(json|xml|yaml|csv|javascript|www-form-urlencoded|graphql|ndjson|jsonl|sql)$/.test(
      type,
    )
  )
    return true
  return type === '' && !body.subarray(0, 1_000).includes(0)
}

/** In the charset that it says. */
function decoded({ headers, body }: OutboundResponse): string {
  const charset = /charset="?([\w.:-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}

const STEPS: readonly (readonly [from: number, to: number, step: string])[] = [
  [400, 400, 'correct the request'],
  [401, 401, 'its credentials are not accepted: tell the person, and do not try again'],
  [402, 402, 'tell the person'],
  [403, 403, 'this is not permitted there: tell the person, and do not try again'],
  [404, 404, 'check the path and the ids in it'],
  [405, 405, 'use a method that the endpoint offers'],
  [409, 409, 'look at what is there now, then decide'],
  [412, 412, 'look at what is there now, then decide'],
  [413, 413, 'send less'],
  [415, 415, 'send another content type'],
  [422, 422, 'correct the values'],
  [429, 429, 'wait before you ask again'],
  [500, 599, 'the target has a problem: try again later, or tell the person'],
]

/** An error response for the model: the request, the response, and the next step. */
export function refusal(
  name: string,
  method: string,
  path: string,
  response: OutboundResponse,
  mask: (text: string) => string,
): ToolResult {
  const { status, headers } = response
  const { value } = readBody(response)
  const body = mask(typeof value === 'string' ? value : JSON.stringify(value))
  const excerpt = ellipsis(body, MOST_ERROR_CHARS)
  const step =
    status < 400
      ? `it redirects${headers['location'] === undefined ? '' : ` to ${textStart(mask(headers['location']), 200)}`}, which is not followed`
      : STEPS.find(([from, to]) => status >= from && status <= to)?.[2]
  const wait = status === 429 || status === 503 ? headers['retry-after'] : undefined
  const next = [
    step,
    ...(wait === undefined ? [] : [`it asks to wait (Retry-After: ${textStart(wait, 40)})`]),
  ]
    .filter((one) => one !== undefined)
    .join('; ')
  const what = `${name} answered ${status} to ${method} ${path}`
  const after = next === '' ? '' : `\nNext: ${next}.`
  return {
    status: 'error',
    code: 'TARGET_ERROR',
    ...(response.body.byteLength === 0
      ? { message: `${what}${after}` }
      : quoting(`${what}: `, excerpt, after, mapTexts(value, mask, true))),
  }
}
