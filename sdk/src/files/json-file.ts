import { trySync, type Json, type JsonObject } from '@amodal/kernel'
import type { BundleFile } from '../ports/bundle.ts'
import {
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser'
import { isList, isObject } from '../json.ts'
import { soundsLikeProtection } from './protection-words.ts'
import type { Issues } from './issues.ts'

export type Path = readonly (string | number)[]

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

/** What is wrong, in words; a name that is missing here is told as the parser tells it. */
const SYNTAX: Readonly<Record<string, { readonly message: string; readonly fix: string }>> = {
  CommaExpected: { message: 'a comma is missing', fix: 'put a comma at the end of this line' },
  ColonExpected: { message: 'a colon is missing after the name', fix: 'write "name": value' },
  PropertyNameExpected: {
    message: 'a name in double quotes is expected',
    fix: 'write "name": value',
  },
  ValueExpected: {
    message: 'a value is missing',
    fix: 'write a text in double quotes, a number, true, false, null, a list or an object',
  },
  CloseBraceExpected: { message: 'an object is not closed', fix: 'close it with }' },
  CloseBracketExpected: { message: 'a list is not closed', fix: 'close it with ]' },
  EndOfFileExpected: { message: 'there is text after the end of the JSON', fix: 'remove it' },
  InvalidSymbol: { message: 'this is no JSON value', fix: 'put texts in double quotes' },
  UnexpectedEndOfString: {
    message: 'a text is not closed',
    fix: 'close it with a double quote on the same line',
  },
  InvalidCharacter: {
    message: 'a text holds a raw control character',
    fix: String.raw`write \n or \t instead`,
  },
  InvalidEscapeCharacter: {
    message: 'a text holds an unknown escape',
    fix: String.raw`write \\ for a backslash`,
  },
}

/** Deeper than any file of the format, and far from the end of the stack. */
const MAX_DEPTH = 100

/** Reads a JSON file; what is wrong with it becomes an issue with its line. */
export function readJson({ path: file, text }: BundleFile, issues: Issues): JsonFile | undefined {
  if (text.trim() === '') {
    issues.error('BAD_REPO', 'the file is empty', { file, line: 1, fix: 'write its JSON value' })
    return undefined
  }
  const errors: ParseError[] = []
  const parsed = trySync(
    () => parseTree(text, errors, { allowTrailingComma: true }),
    () => 'the parser ran out of stack',
  )
  if (!parsed.ok || (parsed.value && isDeeper(parsed.value, MAX_DEPTH))) {
    issues.error('BAD_REPO', 'the JSON is nested too deeply', {
      file,
      line: 1,
      fix: `use at most ${MAX_DEPTH} levels`,
    })
    return undefined
  }
  const root = parsed.value
  if (errors.length > 0 || !root) {
    tellSyntax(errors, file, text, issues)
    return undefined
  }
  const value = toJson(root, (name, node) => {
    const place = { file, line: lineAt(text, node.offset), fix: 'write it once' }
    // Of two rules for one thing, the one that protects may be the one that does not count.
    if (soundsLikeProtection(file)) issues.error('BAD_REPO', `"${name}" is written twice`, place)
    else issues.warn('BAD_REPO', `"${name}" is written twice; the later one counts`, place)
  })
  return { file, value, lineOf: (path) => lineAt(text, nearest(root, path).offset) }
}

/** One issue a line: what follows on the same line mostly follows from the first. */
function tellSyntax(
  errors: readonly ParseError[],
  file: string,
  text: string,
  issues: Issues,
): void {
  const told = new Set<number>()
  for (const { error, offset } of errors) {
    const name = printParseErrorCode(error)
    const line = lineAt(
      text,
      name === 'CommaExpected' ? text.slice(0, offset).trimEnd().length : offset,
    )
    if (told.has(line)) continue
    told.add(line)
    issues.error('BAD_REPO', SYNTAX[name]?.message ?? `this is no valid JSON (${name})`, {
      file,
      line,
      fix: SYNTAX[name]?.fix ?? 'correct the JSON',
    })
  }
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

/** The value at a path, or `undefined`. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((at, key) => {
    if (isList(at)) return typeof key === 'number' ? at[key] : undefined
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }, value)
}

/** `models.main.fallback`, `seed[3].severity`. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`,
    '',
  )
}

/** Values as plain own properties: a name such as `__proto__` is a name like any other. */
function toJson(node: Node, onTwice: (name: string, node: Node) => void): Json {
  const children = node.children ?? []
  if (node.type === 'array') return children.map((child) => toJson(child, onTwice))
  if (node.type !== 'object') return node.value as Json // a literal that the parser has just read
  const properties = new Map<string, Json>()
  for (const property of children) {
    const [key, value] = property.children ?? []
    if (!key || !value) continue
    const name = String(key.value)
    if (properties.has(name)) onTwice(name, key)
    properties.set(name, toJson(value, onTwice))
  }
  return Object.fromEntries(properties)
}

function nearest(root: Node, path: Path): Node {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length))
    if (node) return node.parent?.type === 'property' ? node.parent : node
  }
  return root
}

function isDeeper(node: Node, levels: number): boolean {
  const nested = node.type === 'property' ? 0 : 1
  return levels < 0 || (node.children ?? []).some((child) => isDeeper(child, levels - nested))
}

/** Line (from 1) of a place in a text. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1))
    line++
  return line
}
