import type { Json, JsonObject } from '@amodal/kernel'
import type { BundleFile } from '../ports/bundle.ts'
import { isList, isObject } from '../json.ts'
import { Issues } from './issues.ts'
import { parseJson, type Path } from './json-text.ts'
import { soundsLikeProtection } from './protection-words.ts'

/**
 * A JSON file that knows the line of each of its values. Comments and trailing commas are welcome.
 */
export interface JsonFile<T extends Json = Json> {
  readonly file: string
  readonly value: T
  /** Line (from 1) of the value at a path; of the nearest one around it where there is none. */
  lineOf(path: Path): number
  /** Where parts of it stand in another file: the file of the value at a path. */
  fileOf?(path: Path): string
}

/** Where the value at a path stands. */
export const placeOf = (
  json: JsonFile,
  path: Path,
): { readonly file: string; readonly line: number } => ({
  file: json.fileOf?.(path) ?? json.file,
  line: json.lineOf(path),
})

/** Reads a JSON file; what is wrong with it becomes an issue with its line. */
export function readJson({ path: file, text }: BundleFile, issues: Issues): JsonFile | undefined {
  const read = parseJson(text)
  if (!read.ok) {
    for (const { line, message, fix } of read.error)
      issues.error('BAD_REPO', message, { file, line, fix })
    return undefined
  }
  const { value, twice, positionOf } = read.value
  for (const { name, line } of twice) {
    const place = { file, line, fix: 'write it once' }
    // Of two rules for one thing, the one that protects may be the one that does not count.
    if (soundsLikeProtection(file)) issues.error('BAD_REPO', `"${name}" is written twice`, place)
    else issues.warn('BAD_REPO', `"${name}" is written twice; the later one counts`, place)
  }
  return { file, value, lineOf: (path) => positionOf(path).line }
}

/** The same, for files that must hold an object. */
export function readJsonObject(
  source: BundleFile,
  issues: Issues,
): JsonFile<JsonObject> | undefined {
  const json = readJson(source, issues)
  if (!json) return undefined
  const { value } = json
  if (isObject(value)) return { ...json, value }
  issues.error('BAD_REPO', 'the file holds no object', {
    file: json.file,
    line: json.lineOf([]),
    fix: 'write { … }',
  })
  return undefined
}

/**
 * A JSON file of a bundle, to find the lines of later issues. Errors of the file itself are
 * reported by its first reader, and only once.
 *
 * @returns `undefined` where it is not there or holds no object
 */
export function jsonFileIn(
  files: readonly BundleFile[],
  path: string,
): JsonFile<JsonObject> | undefined {
  const source = files.find((file) => file.path === path)
  return source && readJsonObject(source, new Issues())
}

/** The value at a path, or `undefined`. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((at, key) => {
    if (isList(at)) return typeof key === 'number' ? at[key] : undefined
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }, value)
}

/** `models.main.fallback`, `seed[3].severity`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    return text === '' ? key : `${text}.${key}`
  }, '')
}
