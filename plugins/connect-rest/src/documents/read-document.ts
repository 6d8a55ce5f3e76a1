import { createRequire } from 'node:module'
import { err, isObject, type Json, messageOf, type Result, trySync } from '@amodal/sdk'
import type * as Yaml from 'yaml'
import { readIntrospection, readSdl } from './graphql-schema.ts'
import { readOpenApi } from './openapi.ts'
import type { ParsedDocument } from './parsed-document.ts'

/**
 * Loaded by the first document that is no JSON: a start without any need not wait for its seventy
 * files.
 */
const yaml = (): typeof Yaml => createRequire(import.meta.url)('yaml') as typeof Yaml

/**
 * Reads an API document in any of its forms: OpenAPI 3.0, 3.1 and Swagger 2.0 in JSON or YAML,
 * GraphQL SDL, the answer to an introspection query.
 */
export function readDocument(text: string): Result<ParsedDocument, string> {
  const plain = text.replace(/^\uFEFF/, '')
  const isJson = /^\s*\{/.test(plain)
  if (!isJson && isSdl(plain)) return readSdl(plain)
  const parsed = trySync(
    () => (isJson ? JSON.parse(plain) : yaml().parse(plain, { maxAliasCount: 1_000 })) as Json,
    (cause) => `it cannot be parsed: ${messageOf(cause).split('\n')[0] ?? ''}`,
  )
  if (!parsed.ok) return parsed
  if (!isObject(parsed.value)) return err('it holds no object')
  return parsed.value['__schema'] !== undefined ||
    (isObject(parsed.value['data']) && parsed.value['data']['__schema'] !== undefined)
    ? readIntrospection(parsed.value)
    : readOpenApi(parsed.value)
}

const isSdl = (text: string): boolean =>
  /^\s*(?:#.*\s*|"""[\s\S]*?"""\s*|"[^"]*"\s*)*(?:extend\s+)?(?:schema|type|interface|union|enum|input|scalar|directive)\b\s*[{@\w]/.test(
    text.slice(0, 20_000),
  )
