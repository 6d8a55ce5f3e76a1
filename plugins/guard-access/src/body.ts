import { type Json, trySync } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { Issues, readJson } from '@amodal/sdk/files'

/** A request body as servers may parse it. */
export type Body =
  | { readonly kind: 'none' }
  /** `twins`: an object has a duplicate name, and servers disagree on which value counts. */
  | { readonly kind: 'json'; readonly value: Json; readonly twins: boolean }
  | { readonly kind: 'form'; readonly fields: Readonly<Record<string, readonly string[]>> }
  /** A text that is neither. */
  | { readonly kind: 'opaque' }

/** Parses a text as JSON, else as a form, regardless of its declared type. */
export function readBody(body: Json | undefined): Body {
  if (body === undefined) return { kind: 'none' }
  if (typeof body !== 'string') return { kind: 'json', value: body, twins: false }
  if (body.trim() === '') return { kind: 'none' }
  const parsed = trySync(
    () => parseExact(body) as Json,
    () => undefined,
  )
  if (parsed.ok) return { kind: 'json', value: parsed.value, twins: hasTwins(body) }
  const parts = body
    .trim()
    .split('&')
    .filter((part) => part !== '')
  if (!parts.every((part) => /^[^\s<>{}"',;=]+=/.test(part))) return { kind: 'opaque' }
  const fields = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(body.trim()))
    fields.set(name, [...(fields.get(name) ?? []), value])
  return { kind: 'form', fields: Object.fromEntries(fields) }
}

/**
 * It is JSON already: all that can be said of it is that a name stands there twice, or that it is
 * nested too deeply to be sure.
 */
function hasTwins(text: string): boolean {
  const issues = new Issues()
  readJson({ path: 'body', text }, issues)
  return issues.sorted().length > 0
}
