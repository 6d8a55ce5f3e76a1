import {
  type BodyField,
  type BodyMedia,
  err,
  isList,
  isObject,
  type Json,
  type JsonObject,
  ok,
  type Result,
} from '@amodal/sdk'
import { isNumber } from '@amodal/sdk/data'
import { categoryOf } from './media-type.ts'
import { fileIn, multipartOf, type Part } from './multipart.ts'
import { bytesOf } from './base64.ts'

export interface Payload {
  readonly body: string | Uint8Array
  readonly contentType: string
}

/**
 * The bytes of a body. Without a media type an object is JSON, and a text is sent as it stands.
 *
 * @param contentType what the caller calls it: for a text that no document says anything of
 * @returns an error text for whoever passed the body
 */
export function payloadOf(
  body: Json,
  media: BodyMedia | undefined,
  contentType?: string,
): Result<Payload, string> {
  if (!media) {
    if (typeof body === 'string')
      return ok({
        body,
        contentType:
          contentType ?? (isJson(body) ? 'application/json' : 'text/plain; charset=utf-8'),
      })
    return ok({ body: JSON.stringify(body), contentType: contentType ?? 'application/json' })
  }
  const { type } = media
  switch (categoryOf(type)) {
    case 'json':
      return ok({
        body: typeof body === 'string' && isJson(body) ? body : JSON.stringify(body),
        contentType: type.includes('*') ? 'application/json' : type,
      })
    case 'form':
      return formOf(body, media)
    case 'multipart':
      return partsOf(body, media)
    case 'text':
      return textOf(body, type)
    case 'bytes':
      return bytesPayload(body, type)
  }
}

function formOf(body: Json, { type, fields = {} }: BodyMedia): Result<Payload, string> {
  // written by whoever passed it
  if (typeof body === 'string') return ok({ body, contentType: type })
  const pairs = pairsOf(body, fields)
  return pairs.ok
    ? ok({
        body: new URLSearchParams(pairs.value.map(([name, value]) => [name, value])).toString(),
        contentType: type,
      })
    : pairs
}

function textOf(body: Json, type: string): Result<Payload, string> {
  const contentType =
    /charset=/i.test(type) || !/^text\//i.test(type) ? type : `${type}; charset=utf-8`
  if (typeof body === 'string') return ok({ body, contentType })
  if (isNumber(body) || typeof body === 'boolean') return ok({ body: String(body), contentType })
  return err(`a body of ${type} is one text: write \`data\` as a text`)
}

function bytesPayload(body: Json, type: string): Result<Payload, string> {
  const file = fileIn(body)
  const bytes = file ?? (typeof body === 'string' ? bytesOf(body) : undefined)
  if (bytes === undefined)
    return err(`a body of ${type} is bytes: write \`data\` as base64, or as { "text": "…" }`)
  if (!bytes.ok) return bytes
  const own = file?.ok ? file.value.contentType : undefined
  const contentType = type.includes('*') ? (own ?? 'application/octet-stream') : type
  return ok({
    body: bytes.value instanceof Uint8Array ? bytes.value : bytes.value.bytes,
    contentType,
  })
}

/**
 * The names and values of a form, as they are sent.
 *
 * @example
 * pairsOf({ amount: 5, metadata: { order: 'A-1' }, items: [{ price: 'p' }] }, {})
 * // → [['amount', '5'], ['metadata[order]', 'A-1'], ['items[0][price]', 'p']]
 */
export function pairsOf(
  body: Json,
  fields: Readonly<Record<string, BodyField>>,
): Result<readonly (readonly [string, string])[], string> {
  if (!isObject(body)) return err('a form is an object: { "name": "value" }')
  return ok(
    Object.entries(body).flatMap(([name, value]) =>
      value === null ? [] : pairsOfField(name, value, fields[name] ?? {}),
    ),
  )
}

const SEPARATORS = { comma: ',', space: ' ', pipe: '|' } as const

function pairsOfField(
  name: string,
  value: Json,
  { kind, style = 'repeat', contentType }: BodyField,
): readonly (readonly [string, string])[] {
  if (!isList(value) && !isObject(value)) return [[name, scalar(value)]]
  if (kind === 'text' || (contentType !== undefined && categoryOf(contentType) === 'json'))
    return [[name, JSON.stringify(value)]]
  switch (style) {
    case 'comma':
    case 'space':
    case 'pipe':
      return isNested(value)
        ? bracketed(name, value)
        : [
            [
              name,
              (isList(value) ? value : Object.entries(value).flat())
                .map(scalar)
                .join(SEPARATORS[style]),
            ],
          ]
    case 'flat':
      if (isList(value) || isNested(value)) return inLists(name, value)
      return Object.entries(value).map(([inner, one]) => [inner, scalar(one)])
    case 'deepObject':
      return bracketed(name, value)
    case 'repeat':
      return inLists(name, value)
  }
}

/** A list of texts is a name that comes several times. */
const inLists = (name: string, value: Json): readonly (readonly [string, string])[] =>
  isList(value) && !isNested(value)
    ? value.map((one) => [name, scalar(one)])
    : bracketed(name, value)

const scalar = (value: Json): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)
const isNested = (value: readonly Json[] | JsonObject): boolean =>
  (isList(value) ? value : Object.values(value)).some((one) => isObject(one) || isList(one))

function bracketed(name: string, value: Json): readonly (readonly [string, string])[] {
  if (value === null) return []
  if (isList(value)) return value.flatMap((one, index) => bracketed(`${name}[${index}]`, one))
  if (isObject(value))
    return Object.entries(value).flatMap(([inner, one]) => bracketed(`${name}[${inner}]`, one))
  return [[name, String(value)]]
}

function partsOf(body: Json, { type, fields = {} }: BodyMedia): Result<Payload, string> {
  if (!isObject(body))
    return err(
      'a multipart body is an object: { "name": "value", "file": { "base64": "…", "filename": "…" } }',
    )
  const parts: Part[] = []
  for (const [name, value] of Object.entries(body)) {
    if (value === null) continue
    const field = fields[name] ?? {}
    const list =
      isList(value) && (field.kind === 'file' || value.some(isMarkedAsFile)) ? value : [value]
    for (const one of list) {
      const made = partsOfField(name, one, field)
      if (!made.ok) return made
      parts.push(...made.value)
    }
  }
  return ok(multipartOf(parts, type))
}

function partsOfField(
  name: string,
  value: Json,
  field: BodyField,
): Result<readonly Part[], string> {
  const file = field.kind === 'file' || isMarkedAsFile(value) ? fileIn(value) : undefined
  if (file && !file.ok) return err(`\`${name}\`: ${file.error}`)
  if (file)
    return ok([
      {
        name,
        bytes: file.value.bytes,
        filename: file.value.filename ?? name,
        contentType: file.value.contentType ?? field.contentType ?? 'application/octet-stream',
      },
    ])
  if (field.kind === 'file') {
    const bytes = typeof value === 'string' ? bytesOf(value) : undefined
    if (!bytes?.ok)
      return err(
        `\`${name}\` takes a file: pass { "base64": "…", "filename": "…", "content_type": "…" }, or { "text": "…" } for one that is text`,
      )
    return ok([
      {
        name,
        bytes: bytes.value,
        filename: name,
        contentType: field.contentType ?? 'application/octet-stream',
      },
    ])
  }
  const isPlain =
    !(isObject(value) || isList(value)) ||
    field.kind === 'text' ||
    (isList(value) && !isNested(value))
  if (!isPlain && (field.style === undefined || field.style === 'flat')) {
    return ok([
      {
        name,
        bytes: Buffer.from(JSON.stringify(value)),
        contentType: field.contentType ?? 'application/json',
      },
    ])
  }
  const declaredType = field.contentType === undefined ? {} : { contentType: field.contentType }
  return ok(
    pairsOfField(name, value, field).map(([own, text]) => ({
      name: own,
      bytes: Buffer.from(text),
      ...declaredType,
    })),
  )
}

/** `{ "text": "…" }` alone may be an object like any other. */
const isMarkedAsFile = (value: Json): boolean =>
  isObject(value) &&
  (typeof value['base64'] === 'string' || typeof value['filename'] === 'string') &&
  fileIn(value) !== undefined

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * A body in each way in which whoever receives it might read it: as it was passed, and as it is
 * sent. Guards look at all of them.
 */
export function bodyReadings(
  body: Json | undefined,
  media: BodyMedia | undefined,
): readonly (Json | undefined)[] {
  if (body === undefined || !media) return [body]
  const { type, fields = {} } = media
  switch (categoryOf(type)) {
    case 'json':
    case 'text':
      return [body]
    case 'form':
    case 'multipart': {
      const pairs = pairsOf(body, fields)
      return pairs.ok
        ? [body, new URLSearchParams(pairs.value.map(([name, value]) => [name, value])).toString()]
        : [body]
    }
    case 'bytes': {
      const sent = payloadOf(body, media)
      return sent.ok
        ? [
            new TextDecoder().decode(
              typeof sent.value.body === 'string' ? Buffer.from(sent.value.body) : sent.value.body,
            ),
          ]
        : [body]
    }
  }
}
