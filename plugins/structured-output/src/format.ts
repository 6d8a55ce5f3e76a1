import {
  err,
  failure,
  isObject,
  messageOf,
  ok,
  trySync,
  type Failure,
  type Json,
  type JsonObject,
  type Result,
  type RunContext,
} from '@amodal/sdk'
import { parseExact, withDoubles } from '@amodal/sdk/data'
import { z } from 'zod'
import type { ResponseFormat, ResponseFormats } from './tokens.ts'

/** The key of a message's state. */
const KEY = 'response-format'
const NAME = /^[\w-]{1,64}$/
/** Of a schema as JSON: it is stored with the message and sent with every call of its run. */
const MOST_CHARS = 50_000
const MOST_PROBLEMS = 5

/** A format whose schema can be used. */
export interface CheckedFormat extends JsonObject {
  readonly schema: JsonObject
  readonly name: string
}

export const responseFormats: ResponseFormats = {
  stateOf({ schema, name = 'answer' }: ResponseFormat): Result<JsonObject, Failure> {
    if (!NAME.test(name))
      return err(failure('VALIDATION_ERROR', 'name: must be 1 to 64 letters, digits, _ and -'))
    if (JSON.stringify(schema).length > MOST_CHARS)
      return err(failure('VALIDATION_ERROR', `schema: must have at most ${MOST_CHARS} characters`))
    const type = trySync(() => z.fromJSONSchema(schema), messageOf)
    if (!type.ok) return err(failure('VALIDATION_ERROR', `schema: cannot be used: ${type.error}`))
    const format: CheckedFormat = { schema, name }
    return ok({ [KEY]: format })
  },
}

/** The format of a run's answer. A sub-agent answers its parent, in text. */
export function formatOf({
  delegated,
  messageState,
}: Pick<RunContext, 'delegated' | 'messageState'>): CheckedFormat | undefined {
  const format = delegated ? undefined : messageState?.[KEY]
  // `stateOf` built it
  return isObject(format) && isObject(format['schema']) ? (format as CheckedFormat) : undefined
}

/**
 * The JSON of an answer, without a fence of Markdown around it.
 *
 * @returns what is wrong with it otherwise, with the paths of values that do not fit
 */
export function jsonIn(text: string, { schema }: CheckedFormat): Result<string, string> {
  const json = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text.trim()
  const value = trySync(() => parseExact(json, 'keep') as Json, messageOf) // it parses JSON
  if (!value.ok) return err(`it is no JSON: ${value.error}`)
  const checked = z.fromJSONSchema(schema).safeParse(withDoubles(value.value))
  if (checked.success) return ok(json)
  return err(
    checked.error.issues
      .slice(0, MOST_PROBLEMS)
      .map(({ path, message }) => `${pathText(path)}: ${message}`)
      .join('; '),
  )
}

const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`),
    'answer',
  )
