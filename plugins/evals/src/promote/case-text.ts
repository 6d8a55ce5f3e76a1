import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import { err, ok, type Json, type JsonObject, type Result } from '@amodal/sdk'
import { isExact, withDoubles } from '@amodal/sdk/data'
import { Issues } from '@amodal/sdk/files'
import type { EvalCase } from '../definition.ts'
import { readSuite } from '../read/read-suite.ts'
import { readYaml } from '../read/yaml-text.ts'

// Loaded by the first case that is written.
const load = createRequire(import.meta.url)
const yaml = (): typeof Yaml => load('yaml') as typeof Yaml

/**
 * The text of a suite as YAML that `readSuite` reads as it was meant, all digits of numbers
 * included.
 *
 * @param head lines of a comment above it
 */
export function caseText(head: readonly string[], suite: JsonObject): string {
  const { stringify } = yaml()
  const exact: Yaml.ScalarTag = {
    tag: 'tag:yaml.org,2002:float',
    default: true,
    identify: isExact,
    resolve: (text) => text,
    stringify: ({ value }) => String(value),
  }
  const text = stringify(suite, {
    aliasDuplicateObjects: false,
    customTags: (tags) => [exact, ...tags],
    lineWidth: 0,
  })
  const comment = head.flatMap((line) => line.split(/\r?\n/)).map((line) => `# ${line}`.trimEnd())
  return `${comment.join('\n')}\n${text}`
}

/** Reads the only case of a text; says what is wrong with the text where it is none. */
export function readCaseText(file: string, text: string): Result<EvalCase, string> {
  const issues = new Issues()
  const json = readYaml({ file, text, line: 1 }, issues)
  const source = { path: file, text }
  const suite = json && readSuite({ name: file, source, json, files: new Map() }, issues)
  const problem = issues.sorted().find(({ severity }) => severity === 'error')
  if (problem) return err(`${file}:${problem.line ?? 1}: ${problem.message}`)
  const [only] = suite?.cases ?? []
  return only ? ok(only) : err(`${file} has no case`)
}

/** Whether two values are the same JSON, wherever the fields of an object stand. */
export function isSameJson(one: Json, other: Json): boolean {
  return canonical(one) === canonical(other)
}

const canonical = (value: Json): string =>
  JSON.stringify(withDoubles(value), (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
