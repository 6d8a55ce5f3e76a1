import { err, type Json, type JsonObject, messageOf, ok, type Result, trySync } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import type { CheckKind, ObservedTurn } from '../definition.ts'
import { blocksIn } from '../read/markdown-sections.ts'
import { compileSchema } from './schema.ts'
import { answerText } from './text-checks.ts'
import type { Verdict } from './verdict.ts'

type Kind<K extends CheckKind['kind']> = Extract<CheckKind, { readonly kind: K }>

/** Whether the answer is JSON that fits: all of it, or its only code block. */
export function checkSchema(
  { schema }: Kind<'json_schema'>,
  turn: ObservedTurn | undefined,
): Verdict {
  if (!turn) return { passed: false, reason: 'no turn has ended' }
  const test = compileSchema(schema)
  if (!test.ok) return { passed: false, reason: `the schema cannot be used: ${test.error}` }
  const value = jsonIn(turn.text)
  if (!value.ok) return { passed: false, reason: value.error }
  const problem = test.value(value.value)
  return { passed: problem === undefined, reason: problem ?? 'it fits' }
}

function jsonIn(text: string): Result<Json, string> {
  const plain = parseJson(text)
  if (plain.ok) return plain
  const { blocks } = blocksIn(text.split(/\r?\n/).map((one, line) => ({ text: one, line })))
  const [block, ...more] = blocks
  if (!block) return err(`it is no JSON: ${answerText(text)}`)
  if (more.length > 0) return err(`it has ${blocks.length} code blocks, and one is needed`)
  const inner = parseJson(block.text)
  return inner.ok ? inner : err(`its code block is no JSON: ${inner.error}`)
}

/** It has just been read as JSON. */
const parseJson = (text: string): Result<Json, string> =>
  trySync(() => parseExact(text) as Json, messageOf)

/**
 * Whether there are as many documents as asked for, or at least one; and each fits.
 *
 * @param documents those of the store that meet the filters
 */
export function checkStore(
  { count, schema }: Kind<'store'>,
  documents: readonly JsonObject[] | undefined,
): Verdict {
  if (!documents) return { passed: false, reason: 'the store was not read' }
  const found = documents.length === 1 ? '1 document' : `${documents.length} documents`
  const isEnough = count === undefined ? documents.length > 0 : documents.length === count
  const wanted = count === undefined ? 'at least 1 is needed' : `${count} must be there`
  if (!isEnough) return { passed: false, reason: `${found}, and ${wanted}` }
  const misfit = schema ? misfitOf(schema, documents) : ok(undefined)
  if (!misfit.ok) return { passed: false, reason: `the schema cannot be used: ${misfit.error}` }
  return { passed: misfit.value === undefined, reason: misfit.value ?? found }
}

/** What is wrong with the first document that does not fit. */
function misfitOf(
  schema: JsonObject,
  documents: readonly JsonObject[],
): Result<string | undefined, string> {
  const test = compileSchema(schema)
  if (!test.ok) return test
  for (const [index, document] of documents.entries()) {
    const problem = test.value(document)
    if (problem !== undefined) return ok(`document ${index + 1}: ${problem}`)
  }
  return ok(undefined)
}
