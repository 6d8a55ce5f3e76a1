import type { Json } from '@amodal/kernel'
import type { z } from 'zod'
import { didYouMean } from './did-you-mean.ts'
import type { Issues } from './issues.ts'
import { isList, isObject } from '../json.ts'
import { isComment, tellUnread, unreadName } from './protections.ts'
import { pathText, placeOf, valueAt, type JsonFile } from './json-file.ts'
import type { Path } from './json-text.ts'

type ZodIssue = z.core.$ZodIssue

/**
 * Checks the value at a path of a file against a schema. Each thing that does not fit becomes an
 * issue with its line; the result is `undefined` then.
 */
export function shaped<S extends z.ZodType>(
  schema: S,
  json: JsonFile,
  at: Path,
  issues: Issues,
): z.output<S> | undefined {
  const parsed = schema.safeParse(valueAt(json.value, at))
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) {
    const path = [...at, ...issue.path.filter((key) => typeof key !== 'symbol')]
    const name = path.length === 0 ? 'the file' : `\`${pathText(path)}\``
    const { message, fix } = describe(issue, valueAt(json.value, path))
    issues.error('BAD_REPO', `${name} ${message}`, { ...placeOf(json, path), fix })
  }
  return undefined
}

/**
 * Tells of names that nothing reads, with the one that was probably meant: a warning, and of one
 * that sounds like a protection an error.
 */
export function warnUnknown(
  json: JsonFile,
  at: Path,
  known: readonly string[],
  issues: Issues,
): void {
  const value = valueAt(json.value, at)
  if (!isObject(value)) return
  for (const name of Object.keys(value).filter((key) => !known.includes(key) && !isComment(key))) {
    const path = [...at, name]
    tellUnread(
      `\`${pathText(path)}\` is not a known field`,
      unreadName(name, known),
      placeOf(json, path),
      'remove it',
      issues,
    )
  }
}

interface Advice {
  readonly message: string
  readonly fix: string
}

const wrongType = (wanted: string, value: Json | undefined): Advice =>
  value === undefined
    ? { message: 'is missing', fix: `add it: ${wanted}` }
    : { message: `is ${wordFor(value)}, and ${wanted} is needed`, fix: `write ${wanted}` }

function wrongValue(values: readonly string[], value: Json | undefined): Advice {
  const meant = typeof value === 'string' ? didYouMean(value, values) : undefined
  const is = value === undefined ? 'is missing' : `cannot be ${JSON.stringify(value)}`
  return {
    message: meant === undefined ? is : `${is}; did you mean "${meant}"?`,
    fix: `use one of: ${values.join(', ')}`,
  }
}

function describe(issue: ZodIssue, value: Json | undefined): Advice {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(TYPE_WORDS[issue.expected] ?? issue.expected, value)
    case 'invalid_value':
      return wrongValue(issue.values.map(String), value)
    case 'too_small':
      return tooSmall(issue)
    case 'too_big':
      return { message: 'is too large', fix: `write at most ${issue.maximum}` }
    case 'invalid_union':
      return wrongUnion(issue, value)
    case 'custom': {
      const fix: unknown = issue.params?.['fix']
      return { message: issue.message, fix: typeof fix === 'string' ? fix : 'correct it' }
    }
    default:
      return otherAdvice(issue)
  }
}

function tooSmall({
  inclusive,
  minimum,
  origin,
}: Extract<ZodIssue, { readonly code: 'too_small' }>): Advice {
  if (origin !== 'number' && origin !== 'int')
    return { message: 'is empty', fix: 'fill it, or remove it' }
  return {
    message: 'is too small',
    fix: `write ${inclusive === false ? 'more than' : 'at least'} ${minimum}`,
  }
}

/** One of several shapes that a field tells apart, such as `type`. */
function wrongUnion(
  issue: Extract<ZodIssue, { readonly code: 'invalid_union' }>,
  value: Json | undefined,
): Advice {
  if (issue.discriminator === undefined) return otherAdvice(issue)
  const options = 'options' in issue && issue.options ? [...issue.options] : []
  return wrongValue(options.map(String), value)
}

const otherAdvice = ({ message }: ZodIssue): Advice => ({
  message: `does not fit: ${message}`,
  fix: 'correct it',
})

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function wordFor(value: Json): string {
  if (value === null) return 'null'
  if (isList(value)) return 'a list'
  return TYPE_WORDS[typeof value] ?? typeof value
}
