import { defineBundle, type AgentBundle } from '@amodal/sdk'
import { type EvalCase, type EvalSuite, suitesOf } from '../src/definition.ts'
import { readEvals } from '../src/read/read-evals.ts'

/** What the files of an agent come to. */
export interface Read {
  readonly bundle: AgentBundle
  readonly suites: readonly EvalSuite[]
  readonly cases: readonly EvalCase[]
  /** `error file:line message` */
  readonly problems: readonly string[]
}

/** Reads files by their paths below `evals/`. */
export function read(files: Readonly<Record<string, string>>): Read {
  const before: AgentBundle = {
    ...defineBundle({ name: 'test' }),
    files: Object.entries(files).map(([path, text]) => ({ path: `evals/${path}`, text })),
  }
  const bundle = readEvals(before) ?? before
  const suites = suitesOf(bundle)
  return {
    bundle,
    suites,
    cases: suites.flatMap(({ cases }) => cases),
    problems: bundle.issues.map(
      ({ severity, file = '', line = 0, message }) => `${severity} ${file}:${line} ${message}`,
    ),
  }
}

/** One YAML suite named `a`. */
export const readYamlSuite = (...lines: readonly string[]): Read =>
  read({ 'a.yaml': lines.join('\n') })

/** One Markdown case named `a`, with a query. */
export const readMarkdownCase = (...lines: readonly string[]): Read =>
  read({ 'a.md': lines.join('\n') })
