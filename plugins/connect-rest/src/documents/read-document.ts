import { err, isObject, type Result } from '@amodal/sdk'
import { readIntrospection, readSdl } from './graphql-schema.ts'
import { readOpenApi } from './openapi.ts'
import { parseText } from './parse-text.ts'
import type { ParsedDocument } from './parsed-document.ts'
import type { DocumentFiles } from './references.ts'

/**
 * Reads an API document in any of its forms: OpenAPI 3.0 to 3.2 and Swagger 2.0 in JSON or YAML,
 * GraphQL SDL, the answer to an introspection query.
 *
 * @param files that it refers to
 */
export function readDocument(
  text: string,
  files: DocumentFiles = {},
): Result<ParsedDocument, string> {
  const plain = text.replace(/^\uFEFF/, '')
  if (!/^\s*\{/.test(plain) && isSdl(plain)) return readSdl(plain)
  const parsed = parseText(plain)
  if (!parsed.ok) return parsed
  if (!isObject(parsed.value)) return err('it holds no object')
  return parsed.value['__schema'] !== undefined ||
    (isObject(parsed.value['data']) && parsed.value['data']['__schema'] !== undefined)
    ? readIntrospection(parsed.value)
    : readOpenApi(parsed.value, files)
}

const isSdl = (text: string): boolean =>
  /^\s*(?:#.*\s*|"""[\s\S]*?"""\s*|"[^"]*"\s*)*(?:extend\s+)?(?:schema|type|interface|union|enum|input|scalar|directive)\b\s*[{@\w]/.test(
    text.slice(0, 20_000),
  )
