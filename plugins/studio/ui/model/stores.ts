import type { Json, JsonObject } from '@amodal/sdk'
import { ClientError, randomKey } from '@amodal/sdk/client'
import { parseExact } from './exact.ts'
import { fieldOf, type Server, type StoredDocument } from './server.ts'

export type FieldType =
  | 'string'
  | 'number'
  | 'boolean'
  | 'datetime'
  | 'enum'
  | 'array'
  | 'object'
  | 'ref'

/** A field of a store's documents, as its schema declares it. */
export interface Field {
  readonly type: FieldType
  readonly nullable?: boolean
  readonly description?: string
  readonly min?: number
  readonly max?: number
  readonly values?: readonly string[]
  readonly item?: Field
  readonly fields?: Readonly<Record<string, Field>>
  /** Of a `ref`: the store that it refers to. */
  readonly store?: string
}

export interface StoreInfo {
  readonly name: string
  readonly description?: string
  readonly entity: string
  /** A template such as `{id}`. */
  readonly key: string
  readonly schema: Readonly<Record<string, Field>>
  /** Seconds. */
  readonly ttl: number | null
  readonly history: number
  readonly shared?: boolean
  /** What this person may do. */
  readonly access: { readonly write: boolean; readonly delete: boolean }
  readonly documentCount: number
  /** `null` where none are stored, or not for this person. */
  readonly deadLetterCount: number | null
}

export interface StorePage {
  readonly documents: readonly StoredDocument[]
  readonly total: number
}

export interface DocumentVersions {
  readonly document: StoredDocument
  readonly history: readonly StoredDocument[]
}

/** A document that could not be stored. */
export interface DeadLetter {
  readonly id: string
  readonly at: string
  readonly error: string
  readonly document: Json
}

const TIMEOUT_MS = 30_000
const pathOf = (...parts: readonly string[]): string =>
  ['/api', ...parts.map(encodeURIComponent)].join('/')

/** The stores of the server. Every method throws `ClientError`. */
export class StoresApi {
  readonly #server: Server

  constructor(server: Server) {
    this.#server = server
  }

  async list(): Promise<readonly StoreInfo[]> {
    return (await this.#send<{ readonly stores: readonly StoreInfo[] }>(pathOf('stores'))).stores
  }

  page(store: string, query: URLSearchParams, signal?: AbortSignal): Promise<StorePage> {
    return this.#send(`${pathOf('stores', store)}?${query.toString()}`, signal && { signal })
  }

  document(store: string, key: string): Promise<DocumentVersions> {
    return this.#send(pathOf('stores', store, key))
  }

  /** @param version at which the document must stand; 0 where there must be none */
  put(store: string, payload: JsonObject, version: number): Promise<{ readonly key: string }> {
    const match: Readonly<Record<string, string>> =
      version === 0 ? { 'if-none-match': '*' } : { 'if-match': `"${version}"` }
    return this.#post(pathOf('stores', store), payload, match)
  }

  async remove(store: string, key: string): Promise<void> {
    await this.#send(pathOf('stores', store, key), { method: 'DELETE' })
  }

  deadLetters(
    store: string,
    offset: number,
    limit: number,
  ): Promise<{ readonly deadLetters: readonly DeadLetter[]; readonly total: number }> {
    return this.#send(`${pathOf('dead-letters', store)}?offset=${offset}&limit=${limit}`)
  }

  /** @param document in place of the one that was given up */
  async retryLetter(store: string, id: string, document?: JsonObject): Promise<void> {
    await this.#post(pathOf('dead-letters', store, id, 'retry'), document ? { document } : {})
  }

  async removeLetter(store: string, id: string): Promise<void> {
    await this.#send(pathOf('dead-letters', store, id), { method: 'DELETE' })
  }

  #post<T>(path: string, body: JsonObject, headers: Readonly<Record<string, string>> = {}) {
    return this.#send<T>(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': randomKey(),
        ...headers,
      },
      body: JSON.stringify(body),
    })
  }

  async #send<T>(path: string, init: RequestInit = {}): Promise<T> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout
    const response = await this.#server.request(path, { ...init, signal })
    // numbers that a double cannot hold are shown and sent back digit by digit
    const body = bodyOf(await response.text())
    if (!response.ok)
      throw new ClientError(
        fieldOf(body, 'code') ?? 'INTERNAL',
        fieldOf(body, 'message') ?? response.statusText,
        response.status,
      )
    return body as T // the server's contract
  }
}

/** `undefined`: it is no JSON, such as the error page of a proxy. */
function bodyOf(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}

/** A column of a table: a field, or one inside another, by its path. */
export interface Column {
  readonly name: string
  readonly field: Field
}

/** Every field that a document has values in; an object is the fields inside it. */
export function columnsOf(schema: Readonly<Record<string, Field>>, at = ''): readonly Column[] {
  return Object.entries(schema).flatMap(([name, field]) => {
    const path = at === '' ? name : `${at}.${name}`
    const inner = field.fields ?? {}
    return field.type === 'object' && Object.keys(inner).length > 0
      ? columnsOf(inner, path)
      : [{ name: path, field }]
  })
}

/** Columns that a table has at first. */
const FIRST_COLUMNS = 6

export const firstColumns = (columns: readonly Column[]): readonly Column[] =>
  columns
    .filter(({ field: { type } }) => type !== 'object' && type !== 'array')
    .slice(0, FIRST_COLUMNS)

/** The value that a path leads to. */
export function valueAt(payload: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = payload
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    value = Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined
  }
  return value
}

/** Names of the fields that the key of a document is composed of. */
export const keyFields = (template: string): readonly string[] =>
  [...template.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name)

/** `raised_at` is "Raised at". */
export function labelOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_.-]+/g, ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

const TITLES = ['title', 'name', 'subject', 'label', 'summary', 'headline']

/** The field that says what a document is; `undefined`: its key does. */
export const titleField = (columns: readonly Column[]): Column | undefined =>
  TITLES.flatMap((title) => columns.filter(({ name }) => name.toLowerCase() === title))[0]

/** What the checks of the API say, by the field that they are about. */
export interface Misfits {
  readonly fields: ReadonlyMap<string, string>
  readonly others: readonly string[]
}

/** Reads `title: is missing; owner.name: must be a text`. */
export function misfitsOf(message: string, schema: Readonly<Record<string, Field>>): Misfits {
  const fields = new Map<string, string>()
  const others: string[] = []
  for (const part of message.split('; ')) {
    const [, path = '', name = '', text = ''] = /^(([\w-]+)[\w.[\]-]*): (.*)$/s.exec(part) ?? []
    if (!Object.hasOwn(schema, name)) others.push(part)
    else fields.set(name, path === name ? text : `${path} ${text}`)
  }
  return { fields, others }
}

/** A JSON object that somebody typed; `undefined`: it is none. */
export function objectIn(text: string): JsonObject | undefined {
  const value = bodyOf(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject) // an object of JSON
    : undefined
}

/** A document with its fields in the order of the schema. */
export function inSchemaOrder({ schema }: StoreInfo, payload: JsonObject): JsonObject {
  const names = new Set([...Object.keys(schema), ...Object.keys(payload)])
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = payload[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
