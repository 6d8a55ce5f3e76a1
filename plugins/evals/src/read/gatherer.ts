import type { BundleIssue } from '@amodal/sdk'
import type { Issues } from '@amodal/sdk/files'

/** What is wrong in a case that was filled with one row, and the line of the row. */
export interface RowIssues {
  readonly line: number
  readonly issues: readonly BundleIssue[]
}

/** Tells each problem once, however many cases and rows it is found in. */
export class Gatherer {
  readonly #issues: Issues
  readonly #seen = new Set<string>()

  constructor(issues: Issues) {
    this.#issues = issues
  }

  add(issues: readonly BundleIssue[]): void {
    for (const { severity, code: _, message, ...place } of issues) {
      const key = keyOf({ severity, message, ...place })
      if (this.#seen.has(key)) continue
      this.#seen.add(key)
      if (severity === 'error') this.#issues.error('BAD_REPO', message, place)
      else this.#issues.warn('BAD_REPO', message, place)
    }
  }

  /** Adds what the rows of a dataset have; what not all of them have is told with the first row. */
  addRows(rows: readonly RowIssues[], file: string): void {
    const counts = new Map<string, number>()
    for (const { issues } of rows)
      for (const key of new Set(issues.map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1)
    const seen = new Set<string>()
    for (const { line, issues } of rows)
      for (const issue of issues) {
        const key = keyOf(issue)
        if (seen.has(key)) continue
        seen.add(key)
        const message = `${issue.message} (with line ${line} of ${file})`
        this.add([counts.get(key) === rows.length ? issue : { ...issue, message }])
      }
  }
}

const keyOf = ({ severity, file, line, message }: Omit<BundleIssue, 'code'>): string =>
  JSON.stringify([severity, file, line, message])
