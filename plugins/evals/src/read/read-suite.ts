import { type BundleFile, isList, isObject, type Json, type JsonObject, sha256 } from '@amodal/sdk'
import type { Issues, JsonFile } from '@amodal/sdk/files'
import type { EvalCase, EvalSuite } from '../definition.ts'
import { Datasets } from './dataset.ts'
import { Gatherer } from './gatherer.ts'
import { Part } from './part.ts'
import { readTemplate, warnOfUnused } from './read-template.ts'

/** What of a suite counts for each of its cases. */
const DEFAULTS = ['setup', 'tools', 'assert', 'approvals', 'tags'] as const
const FIELDS = ['name', 'title', 'description', 'dataset', 'cases', ...DEFAULTS] as const
const MOST_CASES = 10_000

/** A suite as a file has it, and what it may refer to. */
export interface SuiteSource {
  /** Its path below `evals/`, without the ending. */
  readonly name: string
  readonly source: BundleFile
  /** In the form of YAML. */
  readonly json: JsonFile
  /** All files of the agent by their paths. */
  readonly files: ReadonlyMap<string, BundleFile>
}

/**
 * Reads the cases of one file. A case with an error is left out; every problem is told once, with
 * its line.
 *
 * @returns `undefined` where no case can be used
 * @example readSuite({ name: 'a', source, json, files }, issues)?.cases[0]?.name // 'case-1'
 */
export function readSuite(suite: SuiteSource, issues: Issues): EvalSuite | undefined {
  const { name, source, json, files } = suite
  const before = issues.errors
  const root = new Part(json, [], issues)
  const fields = root.fields(FIELDS)
  if (!fields || issues.errors > before) return undefined
  const datasets = new Datasets(source.path, files, issues)
  const cases = readCases(root, fields, { json, datasets, issues })
  const text = (field: (typeof FIELDS)[number]): string | undefined =>
    fields.get(field)?.text()?.trim()
  const [title, shortName, description = ''] = [text('title'), text('name'), text('description')]
  if (cases.length === 0) return undefined
  return {
    name,
    title: title ?? shortName ?? name,
    description,
    file: source.path,
    cases,
    hash: sha256(JSON.stringify([source.text, ...datasets.texts])),
  }
}

interface CasesSource {
  readonly json: JsonFile
  readonly datasets: Datasets
  readonly issues: Issues
}

function readCases(
  root: Part,
  fields: ReadonlyMap<string, Part>,
  { json, datasets, issues }: CasesSource,
): readonly EvalCase[] {
  const list = fields.get('cases')
  if (!list) return root.error('the file has no `cases`', 'add `cases:` with a list') ?? []
  const parts = list.items() ?? []
  if (isList(list.value) && parts.length === 0)
    list.error('`cases` is empty', 'add a case with `input` and `rubric`')
  const dataset = fields.get('dataset')
  const defaults = defaultsOf(json.value)
  const around = { json, datasets, dataset, defaults, gatherer: new Gatherer(issues) }
  const cases = parts.flatMap((part, index) => readTemplate(around, part, index))
  warnOfUnused(dataset, list, defaults)
  if (cases.length > MOST_CASES)
    list.error(
      `there are ${cases.length} cases; those after ${MOST_CASES} are left out`,
      'split the file or its dataset',
    )
  return withOwnNames(cases.slice(0, MOST_CASES), json.file, issues)
}

const defaultsOf = (value: Json): JsonObject =>
  isObject(value)
    ? Object.fromEntries(DEFAULTS.map((name) => [name, value[name] ?? null] as const))
    : {}

/** Results are kept by name: of two cases with one name, the second is left out. */
function withOwnNames(
  cases: readonly EvalCase[],
  file: string,
  issues: Issues,
): readonly EvalCase[] {
  const lines = new Map<string, number>()
  return cases.filter(({ name, line }) => {
    const first = lines.get(name)
    if (first === undefined) lines.set(name, line)
    else
      issues.error('BAD_REPO', `two cases are named "${name}": in line ${first} and ${line}`, {
        file,
        line,
        fix: 'rename one of them',
      })
    return first === undefined
  })
}
