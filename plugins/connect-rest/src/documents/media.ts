import {
  type ApiMedia,
  type BodyField,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '@amodal/sdk'
import { categoryOf } from '../media-type.ts'
import type { Resolve } from './schema-text.ts'

/** What an operation takes as its body. */
export interface Taken {
  /** The schema of the media type that is chosen where nobody says another. */
  readonly schema?: Json
  readonly takes?: readonly ApiMedia[]
}

const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'
const MOST_TYPES = 20

/** Of OpenAPI 3: `requestBody.content`. */
export function takenOf(content: JsonObject, resolve: Resolve): Taken {
  const entries = Object.entries(content)
    .slice(0, MOST_TYPES)
    .flatMap(([name, media]) => (isObject(media) ? [{ type: plainType(name), media }] : []))
  const preferred = entries.find(({ type }) => categoryOf(type) === 'json') ?? entries[0]
  const types = entries.map(({ type, media }): ApiMedia => {
    const schema = resolve(media['schema'])
    const isBytes = (type === '*/*' || type === '') && schema !== undefined && isBinary(schema)
    const named = type === '' ? 'application/json' : type
    const fields = isForm(type) ? fieldsOf(schema, media['encoding'], resolve) : {}
    return {
      type: isBytes ? 'application/octet-stream' : named,
      ...(Object.keys(fields).length > 0 && { fields }),
    }
  })
  const schema = preferred?.media['schema']
  return { ...(schema !== undefined && { schema }), ...taken(types) }
}

/** Of Swagger 2: the parameter `body`, or those of the form, and `consumes`. */
export function takenOfSwagger(
  parameters: readonly JsonObject[],
  consumes: readonly string[],
  resolve: Resolve,
): Taken {
  const body = parameters.find((one) => one['in'] === 'body')
  const form = parameters.filter((one) => one['in'] === 'formData')
  if (form.length > 0) return taken(formTypes(form, consumes))
  if (!body) return {}
  const schema = body['schema'] ?? {}
  const types = consumes
    .map((type): ApiMedia => ({ type: plainType(type) }))
    .filter(({ type }) => !isForm(type))
  const bytes =
    isBinary(resolve(schema) ?? {}) && !types.some(({ type }) => categoryOf(type) !== 'json')
  return { schema, ...taken(bytes ? [{ type: 'application/octet-stream' }] : types) }
}

function formTypes(form: readonly JsonObject[], consumes: readonly string[]): readonly ApiMedia[] {
  const fields: Record<string, BodyField> = {}
  for (const one of form) {
    const { name, type, collectionFormat } = one
    if (typeof name !== 'string') continue
    if (type === 'file') fields[name] = { kind: 'file' }
    else if (type === 'array')
      fields[name] = {
        style:
          COLLECTIONS[typeof collectionFormat === 'string' ? collectionFormat : 'csv'] ?? 'comma',
      }
    else if (type === 'string') fields[name] = { kind: 'text' }
  }
  const hasFile = Object.values(fields).some(({ kind }) => kind === 'file')
  const declared = consumes.map(plainType).filter(isForm)
  const forms = declared.length > 0 ? declared : [FORM]
  const types = hasFile ? [MULTIPART] : forms
  return [...new Set(types)].map((type) => ({
    type,
    ...(Object.keys(fields).length > 0 && { fields }),
  }))
}

const COLLECTIONS: Readonly<Record<string, BodyField['style']>> = {
  csv: 'comma',
  ssv: 'space',
  tsv: 'space',
  pipes: 'pipe',
  multi: 'repeat',
}

/** JSON alone is what everybody expects, and is not kept. */
function taken(types: readonly ApiMedia[]): Pick<Taken, 'takes'> {
  const plain = types.every(({ type }) => type === 'application/json' || type === '*/*')
  return plain ? {} : { takes: types }
}

/** In small letters, without parameters; what a form is called by mistake is one. */
function plainType(name: string): string {
  const type = name.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (/^(application|multipart)\/form-data$/.test(type)) return MULTIPART
  if (/x-www-form-urlencoded$/.test(type)) return FORM
  return type === 'plain/text' ? 'text/plain' : type
}

const isForm = (type: string): boolean => type === FORM || type === MULTIPART

/** What is said of the fields of a form, where that is not what a form does anyway. */
function fieldsOf(
  schema: JsonObject | undefined,
  encoding: Json | undefined,
  resolve: Resolve,
): Readonly<Record<string, BodyField>> {
  const fields: Record<string, BodyField> = {}
  for (const [name, property] of propertiesOf(schema, resolve, 0)) {
    const declared =
      isObject(encoding) && Object.hasOwn(encoding, name) ? encoding[name] : undefined
    const field = fieldOf(resolve(property) ?? {}, isObject(declared) ? declared : {}, resolve)
    if (Object.keys(field).length > 0) fields[name] = field
  }
  return fields
}

/** Those of the parts of `allOf`, `oneOf` and `anyOf`, too. */
function propertiesOf(
  schema: JsonObject | undefined,
  resolve: Resolve,
  level: number,
): readonly (readonly [string, Json])[] {
  if (!schema || level > 4) return []
  const { properties, allOf, oneOf, anyOf } = schema
  const parts = [allOf, oneOf, anyOf].flatMap((list) => (isList(list) ? list : []))
  return [
    ...parts.flatMap((part) => propertiesOf(resolve(part), resolve, level + 1)),
    ...(isObject(properties) ? Object.entries(properties) : []),
  ]
}

function fieldOf(schema: JsonObject, encoding: JsonObject, resolve: Resolve): BodyField {
  const items = schema['type'] === 'array' ? (resolve(schema['items']) ?? {}) : schema
  const { contentType } = encoding
  const style = styleOf(encoding)
  const textKind = schema['type'] === 'string' ? 'text' : undefined
  const kind = isBinary(items) ? 'file' : textKind
  return {
    ...(kind && { kind }),
    ...(style && { style }),
    // Of several that are possible whoever sends the part says which one it is.
    ...(typeof contentType === 'string' &&
      !/[,*]/.test(contentType) && { contentType: contentType.trim().toLowerCase() }),
  }
}

function styleOf({ style, explode }: JsonObject): BodyField['style'] | undefined {
  switch (style) {
    case 'deepObject':
      return 'deepObject'
    case 'spaceDelimited':
      return explode === true ? 'repeat' : 'space'
    case 'pipeDelimited':
      return explode === true ? 'repeat' : 'pipe'
    case 'form':
      return explode === false ? 'comma' : 'flat'
    default:
      return undefined
  }
}

/** Bytes, in the words of OpenAPI 3.0, of 3.1 and of Swagger 2. */
function isBinary({ type, format, contentMediaType, contentEncoding }: JsonObject): boolean {
  if (type === 'file' || format === 'binary') return true
  return (
    typeof contentMediaType === 'string' &&
    contentEncoding === undefined &&
    !/^text\/|json|xml/.test(contentMediaType)
  )
}
