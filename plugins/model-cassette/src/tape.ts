import {
  err,
  failure,
  isObject,
  mapTexts,
  ok,
  type Failure,
  type Json,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { textStart, parseExact, jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'
import type { RecordedRequest } from './request.ts'

/** One part of a stream, or the error that was thrown instead. */
export type Line =
  | {
      readonly take: number
      /** ms after the request */ readonly at: number
      readonly part: JsonObject
    }
  | { readonly take: number; readonly at: number; readonly thrown: JsonObject }

/** The recording of one request: each call of it is a take. */
export interface Tape {
  readonly key: string
  readonly asked: RecordedRequest
  readonly takes: readonly (readonly Line[])[]
}

const json = z.record(z.string(), jsonValue)
const Head = z.object({
  cassette: z.literal(1),
  key: z.string(),
  asked: z.object({
    provider: z.string(),
    model: z.string(),
    toolChoice: z.string(),
    settings: json,
    system: z.object({ sha: z.string(), text: z.string() }),
    tools: z.record(z.string(), z.string()),
    messages: z.array(z.object({ role: z.string(), sha: z.string(), text: z.string() })),
  }),
})
const at = { take: z.int().min(1), at: z.number().min(0) }
const Line = z.union([z.object({ ...at, part: json }), z.object({ ...at, thrown: json })])

/** JSON lines: the request, then what came, a line each. */
export const written = ({ key, asked, takes }: Tape): string =>
  [{ cassette: 1, key, asked }, ...takes.flat()].map((line) => `${JSON.stringify(line)}\n`).join('')

export function read(text: string, file: string): Result<Tape, Failure> {
  const rows = text.split('\n').filter((row) => row.trim() !== '')
  const bad = (n: number): Result<never, Failure> =>
    err(failure('BAD_REPO', `${file}:${n}: is no line of a cassette; record it again`))
  const head = Head.safeParse(parsed(rows[0]))
  if (!head.success) return bad(1)
  const takes: Line[][] = []
  for (const [n, row] of rows.slice(1).entries()) {
    const line = Line.safeParse(parsed(row))
    if (!line.success || line.data.take > takes.length + 1) return bad(n + 2)
    const take = takes[line.data.take - 1]
    if (take) take.push(line.data)
    else takes.push([line.data])
  }
  return ok({ key: head.data.key, asked: head.data.asked, takes })
}

function parsed(row = ''): unknown {
  try {
    return parseExact(row)
  } catch {
    return undefined
  }
}

/** Whether takes are equal except for times, which differ on each run. */
export function isSame(a: readonly Line[] | undefined, b: readonly Line[]): a is readonly Line[] {
  const timeless = (lines: readonly Line[]): string =>
    JSON.stringify(lines.map((line) => ({ ...line, at: 0 })))
  return a !== undefined && timeless(a) === timeless(b)
}

const KEPT = [
  'name',
  'message',
  'statusCode',
  'status',
  'code',
  'type',
  'reason',
  'responseBody',
] as const
const MAX_DEPTH = 4
const MOST_CHARS = 4_000

/** Cut once it is clean: half of a secret is not found. */
export const shortened = (error: JsonObject): JsonObject =>
  mapTexts(error, (text) => textStart(text, MOST_CHARS))

/** The parts of an error that say what went wrong and when to retry. */
export function errorJson(cause: unknown, depth = 0): JsonObject {
  if (typeof cause !== 'object' || cause === null) return { text: String(cause) }
  const native =
    cause instanceof Error ? { name: cause.name, message: cause.message, cause: cause.cause } : {}
  const fields: Readonly<Record<string, unknown>> = { ...cause, ...native }
  const kept = KEPT.flatMap((name): readonly (readonly [string, Json])[] => {
    const value = fields[name]
    return typeof value === 'string' || typeof value === 'number' ? [[name, value]] : []
  })
  const inner = ['cause', 'lastError', 'data', 'error'].flatMap((name) =>
    fields[name] === undefined || depth >= MAX_DEPTH
      ? []
      : [[name, errorJson(fields[name], depth + 1)] as const],
  )
  const waits = waitsOf(fields['responseHeaders'])
  return {
    ...(cause instanceof Error && { error: true }),
    ...Object.fromEntries(kept),
    ...Object.fromEntries(inner),
    ...(Object.keys(waits).length > 0 && { responseHeaders: waits }),
  }
}

/** The headers that say when to retry; no others are recorded. */
function waitsOf(headers: unknown): JsonObject {
  if (typeof headers !== 'object' || headers === null) return {}
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.toLowerCase().startsWith('retry-after'))
      .map(([name, value]) => [name, String(value)]),
  )
}

/** Rebuilds an error with the properties that error handling reads. */
export function errorFrom(json: JsonObject): unknown {
  if (typeof json['text'] === 'string') return json['text']
  const { error, ...fields } = json
  const inner = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isObject(value) && name !== 'responseHeaders' ? errorFrom(value) : value,
    ]),
  )
  return error === true
    ? Object.assign(new Error(typeof json['message'] === 'string' ? json['message'] : ''), inner)
    : { ...inner, ...(isObject(error) && { error: errorFrom(error) }) }
}
