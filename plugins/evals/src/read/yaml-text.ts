import { createRequire } from 'node:module'
import { type Json, messageOf, type Result, trySync } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import type { Issues, JsonFile, Path } from '@amodal/sdk/files'
import type * as Yaml from 'yaml'

/** YAML of a file, and the line of the file on which it begins. */
export interface YamlText {
  readonly file: string
  readonly text: string
  readonly line: number
}

interface Problem {
  readonly message: string
  readonly line: number
  readonly fix: string
}

// Loaded by the first file that has YAML.
const load = createRequire(import.meta.url)
const yaml = (): typeof Yaml => load('yaml') as typeof Yaml

const MOST_LEVELS = 100
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Reads YAML 1.2 as JSON that knows the line of each value. Numbers keep all their digits, anchors
 * and `<<` are followed, and what is wrong becomes an issue.
 *
 * @example
 * readYaml({ file: 'evals/a.yaml', text: 'cases: []', line: 1 }, issues)?.value // { cases: [] }
 */
export function readYaml({ file, text, line }: YamlText, issues: Issues): JsonFile | undefined {
  const read = trySync(() => parse(text), messageOf)
  const problems = read.ok ? read.value.problems : [{ message: read.error, line: 1, fix: FIX }]
  for (const { message, fix, ...at } of problems)
    issues.error('BAD_REPO', `this is no valid YAML: ${message}`, {
      file,
      line: line + at.line - 1,
      fix,
    })
  if (!read.ok || problems.length > 0) return undefined
  const { warnings, value, lineOf } = read.value
  for (const { message, fix, ...at } of warnings)
    issues.warn('BAD_REPO', message, { file, line: line + at.line - 1, fix })
  return { file, value, lineOf: (path) => line + lineOf(path) - 1 }
}

const FIX = 'correct the YAML'

interface Parsed {
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  readonly value: Json
  readonly lineOf: (path: Path) => number
}

function parse(text: string): Parsed {
  const { LineCounter, parseDocument } = yaml()
  const lineCounter = new LineCounter()
  // `silent` would hide that a second document follows.
  const document = parseDocument(text, {
    schema: 'core',
    merge: true,
    uniqueKeys: false,
    logLevel: 'error',
    lineCounter,
  })
  const lineAt = (offset = 0): number => lineCounter.linePos(offset).line
  const syntax = document.errors.map((problem) => problemOf(problem))
  const { problems, warnings } =
    syntax.length > 0 ? { problems: syntax, warnings: [] } : inspect(document, lineAt)
  return {
    problems,
    warnings: [...warnings, ...document.warnings.map((problem) => problemOf(problem))],
    // The core schema has nothing but JSON, and `inspect` refuses its numbers that are none.
    value: problems.length > 0 ? null : (document.toJS() as Json),
    lineOf: (path) => lineAt(offsetOf(document, path)),
  }
}

function problemOf({ code, message, linePos }: Yaml.YAMLError): Problem {
  const [first = ''] = message.split('\n')
  const line = linePos?.[0].line ?? 1
  if (code === 'MULTIPLE_DOCS')
    return { message: 'a second document begins here', line, fix: 'remove the line of ---' }
  return {
    message: first.replace(/ at line \d+, column \d+:?$/, ''),
    line,
    fix: /nested mapping|implicit key|compact/i.test(first)
      ? 'put the text after the colon in quotes'
      : FIX,
  }
}

/** Finds what is YAML and no JSON, and gives numbers the digits that they are written with. */
function inspect(
  document: Yaml.Document.Parsed,
  lineAt: (offset?: number) => number,
): { readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] } {
  const { isCollection, visit } = yaml()
  const [problems, warnings]: [Problem[], Problem[]] = [[], []]
  const lineOf = (node: Yaml.Node): number => lineAt(node.range?.[0])
  visit(document, {
    Alias(_, node, path) {
      const target = node.resolve(document)
      if (!target || path.includes(target))
        problems.push({
          message: target
            ? `*${node.source} refers to itself`
            : `there is no &${node.source} before it`,
          line: lineOf(node),
          fix: FIX,
        })
    },
    Collection(_, node, path) {
      if (path.filter((one) => isCollection(one)).length < MOST_LEVELS) return undefined
      const fix = `use at most ${MOST_LEVELS} levels`
      problems.push({ message: 'it is nested too deeply', line: lineOf(node), fix })
      return visit.BREAK
    },
    Map(_, node) {
      for (const { name, key } of twiceIn(node))
        warnings.push({
          message: `"${name}" is written twice; the later one counts`,
          line: lineOf(key),
          fix: 'write it once',
        })
    },
    Scalar(place, node) {
      if (place === 'key' || typeof node.value !== 'number') return
      const exact = exactly(node.value, node.source ?? '')
      if (exact.ok) node.value = exact.value
      else problems.push({ message: exact.error, line: lineOf(node), fix: 'write a number' })
    },
  })
  return { problems, warnings }
}

function exactly(value: number, source: string): Result<unknown, string> {
  if (!Number.isFinite(value)) return { ok: false, error: `${source} is no number of JSON` }
  const plain = source.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1')
  return { ok: true, value: JSON_NUMBER.test(plain) ? parseExact(plain) : value }
}

function* twiceIn(
  map: Yaml.YAMLMap,
): Generator<{ readonly name: string; readonly key: Yaml.Scalar }> {
  const seen = new Set<string>()
  for (const { key } of map.items) {
    if (!yaml().isScalar(key)) continue
    const name = String(key.value)
    if (seen.has(name)) yield { name, key }
    seen.add(name)
  }
}

/** Where the value at a path begins, of a field with its name; or the nearest one around it. */
function offsetOf(document: Yaml.Document.Parsed, path: Path): number {
  const { isAlias, isNode } = yaml()
  let node: unknown = document.contents
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0
  for (const step of path) {
    const inner = innerOf(isAlias(node) ? node.resolve(document) : node, step)
    if (!inner) return offset
    offset = inner.start ?? offset
    node = inner.node
  }
  return offset
}

interface Inner {
  readonly node: unknown
  readonly start?: number | undefined
}

function innerOf(node: unknown, step: string | number): Inner | undefined {
  const { isMap, isNode, isSeq } = yaml()
  const startOf = (one: unknown): number | undefined => (isNode(one) ? one.range?.[0] : undefined)
  if (isMap(node)) {
    const pair = node.items.findLast(({ key }) => keyText(key) === String(step))
    return pair && { node: pair.value, start: startOf(pair.key) }
  }
  const item = isSeq(node) && typeof step === 'number' ? node.items[step] : undefined
  return item === undefined ? undefined : { node: item, start: startOf(item) }
}

const keyText = (key: unknown): string | undefined =>
  yaml().isScalar(key) ? String(key.value) : undefined
