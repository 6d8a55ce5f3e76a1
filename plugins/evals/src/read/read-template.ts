import { type BundleIssue, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { didYouMean, Issues, type JsonFile } from '@amodal/sdk/files'
import type { EvalCase } from '../definition.ts'
import type { Dataset, Datasets, Row } from './dataset.ts'
import { fill, hasPlaces } from './fill.ts'
import type { Gatherer } from './gatherer.ts'
import { Part } from './part.ts'
import { isChecked, readCase } from './read-case.ts'

/** What the cases of a file have in common. */
export interface Around {
  readonly json: JsonFile
  readonly datasets: Datasets
  readonly dataset: Part | undefined
  readonly defaults: JsonObject
  readonly gatherer: Gatherer
}

/** The case as it stands; or, where it has places for fields of rows, one for each row. */
export function readTemplate(around: Around, part: Part, index: number): readonly EvalCase[] {
  const { json, defaults, gatherer, datasets } = around
  const { value } = part
  const own = part.at('dataset')
  const dataset = own.value === null ? around.dataset : own
  if (dataset && isObject(value) && (hasPlaces(value) || hasPlaces(defaults))) {
    const found = datasets.find(dataset)
    return found ? readRows(around, found, value, index) : []
  }
  if (own.value !== null) warnOfUnused(own, part, defaults)
  const read = readOne({ json, index, value, defaults })
  gatherer.add(read.issues)
  return read.case ? [read.case] : []
}

function readRows(
  { json, defaults, gatherer }: Around,
  { file, rows }: Dataset,
  value: JsonObject,
  index: number,
): readonly EvalCase[] {
  const missing = new Map<string, Row[]>()
  const found = ownNames(rows, file, gatherer).flatMap(({ row, name }) => {
    const absent = new Set<string>()
    const filled = (template: JsonObject): JsonObject =>
      fill(template, row.fields, (field) => absent.add(field))
    const suffix = hasPlaces(value['name'] ?? null) ? '' : `[${name}]`
    const read = readOne({ json, index, value: filled(value), defaults: filled(defaults), suffix })
    for (const field of absent) missing.set(field, [...(missing.get(field) ?? []), row])
    // What else is wrong in such a case may follow from the field that is missing.
    return absent.size > 0 ? [] : [{ ...read, line: row.line }]
  })
  gatherer.addRows(found, file)
  const line = json.lineOf(['cases', index])
  const names = [...new Set(rows.flatMap(({ fields }) => Object.keys(fields)))]
  for (const [field, without] of missing)
    gatherer.add(missingIssues({ field, rows: without, names }, json.file, file, line))
  return found.flatMap((one) => one.case ?? [])
}

interface NamedRow {
  readonly row: Row
  readonly name: string
}

/** Rows with their field `name`, or their number; of two rows with one name, the first counts. */
function ownNames(rows: readonly Row[], file: string, gatherer: Gatherer): readonly NamedRow[] {
  const lines = new Map<string, number>()
  return rows.flatMap((row) => {
    const { name: field } = row.fields
    const name = typeof field === 'string' && field.trim() !== '' ? field.trim() : `${row.number}`
    const first = lines.get(name)
    if (first === undefined) {
      lines.set(name, row.line)
      return [{ row, name }]
    }
    const message = `two rows are named "${name}": in line ${first} and ${row.line}`
    const place = { file, line: row.line, fix: 'rename one of them' }
    gatherer.add([{ severity: 'error', code: 'BAD_REPO', message, ...place }])
    return []
  })
}

interface Missing {
  readonly field: string
  readonly rows: readonly Row[]
  readonly names: readonly string[]
}

const MOST_ROWS = 20

/** A field that no row has is wrong in the case; otherwise the rows are. */
function missingIssues(
  { field, rows, names }: Missing,
  evalFile: string,
  file: string,
  line: number,
): readonly BundleIssue[] {
  const issue = { severity: 'error', code: 'BAD_REPO' } as const
  if (!names.includes(field)) {
    const meant = didYouMean(field, names)
    const message = `no row of ${file} has a field "${field}"`
    const fix =
      meant === undefined ? `use one of: ${names.join(', ')}` : `did you mean {{${meant}}}?`
    return [{ ...issue, message, file: evalFile, line, fix }]
  }
  const more = rows.length - MOST_ROWS
  return rows.slice(0, MOST_ROWS).map((row, at) => ({
    ...issue,
    message: `the row has no "${field}", which the case in line ${line} of ${evalFile} needs${at === MOST_ROWS - 1 && more > 0 ? `; nor have ${more} more rows` : ''}`,
    file,
    line: row.line,
    fix: `add "${field}", or remove the row`,
  }))
}

interface ReadCase {
  readonly issues: readonly BundleIssue[]
  readonly case?: EvalCase
}

interface CaseText {
  readonly json: JsonFile
  readonly index: number
  readonly value: Json
  readonly defaults: JsonObject
  readonly suffix?: string
}

/** One case with issues of its own, so that an error leaves out this case and no other. */
function readOne({ json, index, value, defaults, suffix = '' }: CaseText): ReadCase {
  const issues = new Issues()
  const { file } = json
  const lineOf: JsonFile['lineOf'] = (path) => json.lineOf(['cases', index, ...path])
  const part = new Part({ file, value, lineOf }, [], issues)
  const suite = new Part({ file, value: defaults, lineOf: (path) => json.lineOf(path) }, [], issues)
  const read = readCase(suite, part, `case-${index + 1}`)
  if (!read || issues.errors > 0) return { issues: issues.sorted() }
  if (!isChecked(read)) part.warn('nothing is checked in this case', 'add `rubric` or `assert`')
  return { issues: issues.sorted(), case: { ...read, name: `${read.name}${suffix}` } }
}

/** A dataset from which no text takes anything is probably a mistake. */
export function warnOfUnused(dataset: Part | undefined, cases: Part, defaults: JsonObject): void {
  if (dataset && !hasPlaces(cases.value) && !hasPlaces(defaults))
    dataset.warn('no text of a case takes a field of the dataset', 'write {{field}} in one')
}
