import { err, isObject, messageOf, ok, trySync, type JsonObject, type Result } from '@amodal/sdk'
import { parseText } from '../documents/parse-text.ts'
import { readDocument } from '../documents/read-document.ts'
import type { ParsedDocument } from '../documents/parsed-document.ts'
import { sdlOf } from '../documents/graphql-schema.ts'
import type { ApiChange } from './api-change.ts'
import { compareGraphql } from './compare-graphql.ts'
import { compareOpenApi } from './compare-openapi.ts'
import { compareOperations } from './compare-operations.ts'

/**
 * Compares two versions of an API document, in any of the forms that a connection may have.
 *
 * @param before its text, as it was
 * @param after its text, as it is
 * @returns what has changed, without repetitions; or which of the two cannot be read, and why
 */
export function compareDocuments(
  before: string,
  after: string,
): Result<readonly ApiChange[], string> {
  const old = readVersion(before)
  if (!old.ok) return err(`the document of the folder: ${old.error}`)
  const current = readVersion(after)
  if (!current.ok) return err(`the document of the address: ${current.error}`)
  const changes = trySync(() => compareVersions(old.value, current.value), messageOf)
  return changes.ok ? ok(distinct(changes.value)) : changes
}

interface Version {
  readonly text: string
  readonly document: ParsedDocument
}

function readVersion(text: string): Result<Version, string> {
  const document = readDocument(text)
  if (!document.ok) return document
  const isAnswer = document.value.kind === 'GraphQL' && /^\uFEFF?\s*\{/.test(text)
  const schema = isAnswer ? sdlOf(text) : undefined
  return ok({ text: schema?.ok === true ? schema.value : text, document: document.value })
}

function compareVersions(before: Version, after: Version): readonly ApiChange[] {
  const kinds = [before.document.kind, after.document.kind]
  if (kinds.every((kind) => kind === 'GraphQL')) return compareGraphql(before, after)
  const [old, current] = [openApiOf(before), openApiOf(after)]
  return old && current
    ? compareOpenApi(old, current)
    : compareOperations(before.document, after.document)
}

/** An OpenAPI 3 document. */
function openApiOf({ text, document }: Version): JsonObject | undefined {
  const json = document.kind.startsWith('OpenAPI 3')
    ? parseText(text.replace(/^\uFEFF/, ''))
    : undefined
  return json?.ok === true && isObject(json.value) ? json.value : undefined
}

/** A schema that several operations share changes each of them in the same words. */
function distinct(changes: readonly ApiChange[]): readonly ApiChange[] {
  const known = new Map(changes.map((change) => [JSON.stringify(change), change]))
  return [...known.values()]
}
