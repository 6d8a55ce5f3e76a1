import type { AgentBundle, BundleFile, JsonObject } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { compare, Issues } from '@amodal/sdk/files'
import { type EvalSuite, PART } from '../definition.ts'
import { readMarkdown } from './read-markdown.ts'
import { readSuite } from './read-suite.ts'
import { readYaml } from './yaml-text.ts'

const FILE = /^evals\/(.+)\.(md|ya?ml)$/i
const README = /(?:^|\/)readme\.md$/i

/**
 * Reads the suites of `evals/`: Markdown with one case, and YAML with several. What cannot be used
 * is named with its line, and everything else is read.
 *
 * @returns the bundle with its suites, or `undefined` where it has none
 * @example suitesOf(readEvals(bundle) ?? bundle).map(({ name }) => name) // ['triage-accuracy']
 */
export function readEvals(bundle: AgentBundle): AgentBundle | undefined {
  const issues = new Issues()
  const files = new Map(bundle.files.map((file) => [file.path, file] as const))
  const suites = new Map<string, EvalSuite>()
  const taken = new Map<string, string>()
  const own = bundle.files.filter(({ path }) => FILE.test(path) && !README.test(path))
  for (const file of own.toSorted((a, b) => compare(a.path, b.path))) {
    const name = FILE.exec(file.path)?.[1] ?? ''
    const other = taken.get(name)
    if (other === undefined) {
      taken.set(name, file.path)
      const suite = readFile(name, file, files, issues)
      if (suite) suites.set(name, suite)
    } else
      issues.error('BAD_REPO', `the suite "${name}" is there as ${other}, which counts`, {
        file: file.path,
        line: 1,
        fix: 'rename this file',
      })
  }
  if (suites.size === 0 && issues.sorted().length === 0) return undefined
  // A copy, so that values which YAML shares by its anchors are not shared here.
  const copy = parseExact(JSON.stringify([...suites.values()])) as readonly JsonObject[]
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted()],
    parts: { ...bundle.parts, [PART]: copy },
  }
}

function readFile(
  name: string,
  { path, text: written }: BundleFile,
  files: ReadonlyMap<string, BundleFile>,
  issues: Issues,
): EvalSuite | undefined {
  const text = written.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
  const source = { path, text }
  const before = issues.errors
  const json = /\.md$/i.test(path)
    ? readMarkdown(source, issues)
    : readYaml({ file: path, text, line: 1 }, issues)
  // Without a check that could not be read, a case of Markdown would pass.
  const isBroken = issues.errors > before
  const suite = json && readSuite({ name, source, json, files }, issues)
  return isBroken ? undefined : suite
}
