import {
  isObject,
  trySync,
  type ArchivableSession,
  type Json,
  type JsonObject,
  type StoredEntry,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { z } from 'zod'

const FORMAT = 1

/** The first line of a file: whose history it is. */
export const Header = z.object({
  v: z.literal(FORMAT),
  tenant: z.string(),
  session: z.string(),
  kind: z.string(),
  principal: z.string(),
  title: z.string(),
  head: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
  parent: z.string().optional(),
  /** Others who have written into it. */
  others: z.array(z.string()),
})
export type Header = z.output<typeof Header>

/** The last line: how many entries there are, and the SHA-256 of everything before it. */
export const Trailer = z.object({ entries: z.number(), sha256: z.string() })
export type Trailer = z.output<typeof Trailer>

const isoOf = (ms: number): string => new Date(ms).toISOString()

/** @param others who have written into it beside its principal */
export function headerOf(
  { tenant, session, row }: ArchivableSession,
  others: readonly string[],
): string {
  const { kind, principal, title, tags, head, parent, forkedAt, createdAt, updatedAt } = row
  const { model, provider, inputTokens, outputTokens, cost, messageCount, lastEnd } = row
  return JSON.stringify({
    v: FORMAT,
    tenant,
    session,
    kind,
    principal,
    title,
    tags,
    head,
    created_at: isoOf(createdAt),
    updated_at: isoOf(updatedAt),
    parent,
    forked_at: forkedAt,
    others,
    messages: messageCount,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost,
    model,
    provider,
    last_end: lastEnd,
    meta: jsonOf(row.meta) ?? row.meta,
  })
}

/** `body` is text as it was stored, so that nothing of it changes. */
export const entryLine = ({ seq, body, sealed }: StoredEntry): string =>
  JSON.stringify({ seq, body, sealed })

export const Entry = z.object({ seq: z.number(), body: z.string(), sealed: z.string().optional() })

/** Who has written an entry; `undefined` for one of the agent. */
export function writerOf(body: string): string | undefined {
  const { principal } = objectOf(body)
  return typeof principal === 'string' ? principal : undefined
}

/** An empty one where it is none. */
export function objectOf(text: string): JsonObject {
  const read = jsonOf(text)
  return read !== undefined && isObject(read) ? read : {}
}

/** `undefined` where it is no JSON. */
export function jsonOf(text: string): Json | undefined {
  const read = trySync(
    () => parseExact(text) as Json, // validated by whoever asks
    () => undefined,
  )
  return read.ok ? read.value : undefined
}
