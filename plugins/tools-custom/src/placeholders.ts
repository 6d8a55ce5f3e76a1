import { err, isList, isObject, type Json, type JsonObject, ok, type Result } from '@amodal/sdk'
import { didYouMean, valueAt, type Path } from '@amodal/sdk/files'
import { namedTime } from './named-time.ts'

const PLACEHOLDER = /\{\{\s*([\w.-]+)\s*\}\}/g
const WHOLE = /^\{\{\s*([\w.-]+)\s*\}\}$/

/**
 * Values for placeholders: parameters by name or path, then named times. `undefined`: there is no
 * value.
 */
export type Fill = (name: string) => Json | undefined

export function fillFrom(args: JsonObject, now: number): Fill {
  return (name) => {
    const value = Object.hasOwn(args, name) ? args[name] : valueAt(args, name.split('.'))
    return value === undefined || value === null ? namedTime(name, now) : value
  }
}

/**
 * Fills the placeholders of a path. Each value becomes one encoded part: it can neither add a
 * segment nor a parameter, nor step out of the path.
 *
 * @returns an error text where a value is missing, empty, or no text, number or boolean
 */
export function fillPath(template: string, fill: Fill): Result<string, string> {
  const problems: string[] = []
  const path = template.replace(PLACEHOLDER, (_, name: string) => {
    const value = fill(name)
    if (value === undefined || value === '') problems.push(`${name}: is needed`)
    else if (isObject(value) || isList(value)) problems.push(`${name}: must be a text or a number`)
    return encodeURIComponent(isObject(value) || isList(value) ? '' : String(value).toWellFormed())
  })
  const segments = (text: string): readonly string[] => text.split(/[?#]/, 1)[0]?.split('/') ?? []
  const steps = segments(template)
  if (
    segments(path).some((segment, index) => /^\.{1,2}$/.test(segment) && segment !== steps[index])
  )
    problems.push('a part of the path cannot be "." or ".."')
  return problems.length > 0 ? err(problems.join('; ')) : ok(path)
}

/**
 * Fills the placeholders of a JSON value. One that is a whole text keeps the type of its value, and
 * what has no value is left out; inside of a text it is written as text.
 */
export function fillValue(template: Json, fill: Fill): Json | undefined {
  if (typeof template === 'string') {
    const whole = WHOLE.exec(template)?.[1]
    return whole === undefined ? fillText(template, fill) : fill(whole)
  }
  if (isList(template)) return template.flatMap((item) => fillValue(item, fill) ?? [])
  if (!isObject(template)) return template
  return Object.fromEntries(
    Object.entries(template).flatMap(([key, item]) => {
      const filled = fillValue(item, fill)
      return filled === undefined ? [] : [[key, filled] as const]
    }),
  )
}

/** Fills the placeholders of a text; what has no value is empty. */
export function fillText(template: string, fill: Fill): string {
  return template.replace(PLACEHOLDER, (_, name: string) => {
    const value = fill(name)
    if (value === undefined || value === null) return ''
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  })
}

/**
 * Placeholders below a path that neither a parameter nor a named time fills, with the parameter
 * that was probably meant.
 */
export function closest(
  value: JsonObject,
  at: Path,
  parameters: JsonObject,
): readonly { readonly name: string; readonly path: Path; readonly meant: string | undefined }[] {
  const { properties } = parameters
  const known = isObject(properties) ? Object.keys(properties) : []
  return [...names(valueAt(value, at), at)].flatMap(({ name, path }) => {
    if (known.includes(name.split('.')[0] ?? name) || namedTime(name, 0) !== undefined) return []
    return [{ name, path, meant: didYouMean(name, known) }]
  })
}

function* names(
  value: Json | undefined,
  path: Path,
): Generator<{ readonly name: string; readonly path: Path }> {
  if (typeof value === 'string')
    for (const [, name = ''] of value.matchAll(PLACEHOLDER)) yield { name, path }
  else if (isList(value))
    for (const [index, item] of value.entries()) yield* names(item, [...path, index])
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) yield* names(item, [...path, key])
}
