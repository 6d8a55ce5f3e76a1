import {
  type Action,
  type ContextInjection,
  err,
  type Failure,
  failure,
  isList,
  isObject,
  type Json,
  mapTexts,
  ok,
  type Result,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { encodePath } from './canonical.ts'
import type { Query } from './query.ts'
import { ContextMissing } from './errors.ts'

/** A request on its way out: the action, and what the connection adds to it. */
export interface Draft {
  /** Encoded. */
  readonly path: string
  readonly query: Query
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Json
}

export const draftOf = ({ path, query, headers, body }: Action): Draft => ({
  path: encodePath(path),
  query,
  headers,
  ...(body === undefined ? {} : { body }),
})

/**
 * Replaces redaction handles by their values in every text that the caller passed. What
 * was judged holds the handle, so a value may be no more than a name: in the path it cannot lead
 * elsewhere.
 */
export function reveal(
  draft: Draft,
  valueOf: (text: string) => Result<string, Failure>,
): Result<Draft, Failure> {
  let refused: Failure | undefined
  const text = (given: string): string => {
    const revealed = valueOf(given)
    if (!revealed.ok) refused ??= revealed.error
    return revealed.ok ? revealed.value : given
  }
  const segment = (given: string): string => {
    const plain = decodeURIComponent(given)
    const revealed = text(plain)
    if (revealed === plain) return given
    if (/[/\\\p{Cc}]|^\.{0,2}$/u.test(revealed))
      refused ??= failure('VALIDATION_ERROR', 'a redacted value does not fit into the path')
    return encodeURIComponent(revealed)
  }
  const header = (given: string): string => {
    const revealed = text(given)
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(revealed))
      refused ??= failure('VALIDATION_ERROR', 'a redacted value does not fit into a header')
    return revealed
  }
  const { path, query, headers, body } = draft
  const made: Draft = {
    path: path.split('/').map(segment).join('/'),
    query: mapValues(query, (values) => values.map(text)),
    headers: mapValues(headers, header),
    ...(body === undefined ? {} : { body: mapTexts(body, text, true) }),
  }
  return refused ? err(refused) : ok(made)
}

const mapValues = <T>(
  record: Readonly<Record<string, T>>,
  change: (value: T) => T,
): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

/** Injects values of the caller, and overwrites existing ones. */
export function inject(
  draft: Draft,
  injections: readonly ContextInjection[],
  valueOf: (name: string) => string | undefined,
): Result<Draft, Failure> {
  return injections.reduce<Result<Draft, Failure>>((made, one) => {
    if (!made.ok) return made
    const value = valueOf(one.value)
    if (value === undefined || value === '')
      return one.required
        ? err(
            ContextMissing(`the connection needs "${one.value}" of the caller, which is not known`),
          )
        : made
    switch (one.in) {
      case 'header':
        return /^[\x20-\x7e]*$/.test(value)
          ? ok({
              ...made.value,
              headers: { ...made.value.headers, [one.field.toLowerCase()]: value },
            })
          : err(unfit(one))
      case 'query':
        return ok({ ...made.value, query: { ...made.value.query, [one.field]: [value] } })
      case 'path':
        return intoPath(made.value, one, value)
      case 'body':
        return intoBody(made.value, one.field, value)
    }
  }, ok(draft))
}

const unfit = ({ value, in: place }: ContextInjection): Failure =>
  ContextMissing(`"${value}" of the caller does not fit into the ${place}`)

/** `{field}` as a whole segment; a request without it is not one of this connection. */
function intoPath(draft: Draft, one: ContextInjection, value: string): Result<Draft, Failure> {
  if (/^\.{1,2}$|[/\\\p{Cc}]/u.test(value)) return err(unfit(one))
  const place = encodePath(`{${one.field}}`)
  const segments = draft.path.split('/')
  if (!segments.includes(place)) {
    return one.required
      ? err(
          failure(
            'VALIDATION_ERROR',
            `this connection fills {${one.field}} in the path: write it where it belongs`,
          ),
        )
      : ok(draft)
  }
  return ok({
    ...draft,
    path: segments
      .map((segment) => (segment === place ? encodeURIComponent(value) : segment))
      .join('/'),
  })
}

/** Sets a field of the body (`a.b` is one further down); of each item, where the body is a list. */
export function intoBody(draft: Draft, field: string, value: Json): Result<Draft, Failure> {
  const { body } = draft
  if (body === undefined) return ok(draft)
  if (typeof body !== 'string')
    return ok({
      ...draft,
      body: isList(body)
        ? body.map((item) => set(item, field.split('.'), value))
        : set(body, field.split('.'), value),
    })
  const parsed = parsedText(body)
  return parsed === undefined
    ? err(
        failure(
          'VALIDATION_ERROR',
          `this connection sets \`${field}\` in the body: pass \`data\` as an object`,
        ),
      )
    : intoBody({ ...draft, body: parsed }, field, value)
}

function parsedText(text: string): Json | undefined {
  try {
    const parsed = parseExact(text) as Json // it was JSON text
    return typeof parsed === 'object' ? (parsed ?? undefined) : undefined
  } catch {
    return undefined
  }
}

function set(at: Json, [name, ...rest]: readonly string[], value: Json): Json {
  if (name === undefined) return value
  return isObject(at)
    ? { ...at, [name]: set(at[name] ?? {}, rest, value) }
    : { [name]: set({}, rest, value) }
}
