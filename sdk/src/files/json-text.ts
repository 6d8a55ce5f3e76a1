import { err, ok, trySync, type Json, type Result } from '@amodal/kernel'
import {
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser'

export type Path = readonly (string | number)[]

/** A place in a text; both count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** What is wrong with a text, where, and what to do about it. */
export interface JsonProblem extends Position {
  readonly message: string
  readonly fix: string
}

/** JSON as a person wrote it. */
export interface JsonText {
  readonly value: Json
  /** Names that an object has had before; the last of them counts. */
  readonly twice: readonly (Position & { readonly name: string })[]
  /**
   * Of the value at a path, with its name; of the nearest one around it where there is none. A
   * symbol names nothing in a text.
   */
  readonly positionOf: (path: readonly PropertyKey[]) => Position
}

/**
 * Syntax errors in plain words; an error code that is missing here keeps the message of the parser.
 */
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

/**
 * Reads JSON that a person has written: comments and trailing commas are welcome.
 *
 * @returns what it says, and where; or what is wrong, the first of each line
 * @example
 * const read = parseJson('{ "preset" "dev" }')
 * if (!read.ok) read.error[0] // { line: 1, column: 12, message: 'a colon is missing …', … }
 */
export function parseJson(
  written: string,
): Result<JsonText, readonly [JsonProblem, ...JsonProblem[]]> {
  // The mark of an editor stands for nothing.
  const text = written.startsWith('\uFEFF') ? written.slice(1) : written
  const atStart = { line: 1, column: 1 }
  if (text.trim() === '')
    return err([{ ...atStart, message: 'the file is empty', fix: 'write its JSON value' }])
  const errors: ParseError[] = []
  const parsed = trySync(
    () => parseTree(text, errors, { allowTrailingComma: true }),
    () => 'the parser ran out of stack',
  )
  if (!parsed.ok || (parsed.value && isDeeper(parsed.value, MAX_DEPTH))) {
    const fix = `use at most ${MAX_DEPTH} levels`
    return err([{ ...atStart, message: 'the JSON is nested too deeply', fix }])
  }
  const [first, ...more] = problemsOf(errors, text)
  if (first) return err([first, ...more])
  const root = parsed.value
  if (!root)
    return err([{ ...atStart, message: 'there is no JSON value', fix: 'write its JSON value' }])
  const twice: { name: string; line: number; column: number }[] = []
  const value = toJson(root, (name, { offset }) =>
    twice.push({ name, ...positionAt(text, offset) }),
  )
  return ok({ value, twice, positionOf: (path) => positionAt(text, nearest(root, path).offset) })
}

/** One a line: what follows on the same line mostly follows from the first. */
function problemsOf(errors: readonly ParseError[], text: string): readonly JsonProblem[] {
  const found = new Map<number, JsonProblem>()
  for (const { error, offset } of errors) {
    const name = printParseErrorCode(error)
    const at = positionAt(
      text,
      name === 'CommaExpected' ? text.slice(0, offset).trimEnd().length : offset,
    )
    if (found.has(at.line)) continue
    found.set(at.line, {
      ...at,
      message: SYNTAX[name]?.message ?? `this is no valid JSON (${name})`,
      fix: SYNTAX[name]?.fix ?? 'correct the JSON',
    })
  }
  return [...found.values()]
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

/** The node at a path, or the nearest one around it; of a property, the whole of it. */
function nearest(root: Node, path: readonly PropertyKey[]): Node {
  const steps = path.filter((step) => typeof step !== 'symbol')
  for (let length = steps.length; length > 0; length--) {
    const node = findNodeAtLocation(root, steps.slice(0, length))
    if (node) return node.parent?.type === 'property' ? node.parent : node
  }
  return root
}

function isDeeper(node: Node, levels: number): boolean {
  const nested = node.type === 'property' ? 0 : 1
  return levels < 0 || (node.children ?? []).some((child) => isDeeper(child, levels - nested))
}

function positionAt(text: string, offset: number): Position {
  let [line, start] = [1, 0]
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', start)) {
    line++
    start = at + 1
  }
  return { line, column: offset - start + 1 }
}
