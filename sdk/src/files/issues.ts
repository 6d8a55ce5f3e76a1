import type { Code } from '@amodal/kernel'
import type { BundleIssue } from '../ports/bundle.ts'

/** Where a problem is, and what to do about it. */
export interface Place {
  readonly file?: string
  /** From 1. */ readonly line?: number
  readonly fix?: string
}

/** The problems found while loading, gathered from readers that run side by side. */
export class Issues {
  readonly #found: BundleIssue[]

  /** @param found before */
  constructor(found: readonly BundleIssue[] = []) {
    this.#found = [...found]
  }

  /** Something is left out, or the folder cannot be loaded. */
  error(code: Code, message: string, place: Place): void {
    this.#found.push({ severity: 'error', code, message, ...place })
  }

  /** Reports an issue that prevents nothing from loading, but should be checked by a person. */
  warn(code: Code, message: string, place: Place): void {
    this.#found.push({ severity: 'warning', code, message, ...place })
  }

  get errors(): number {
    return errorsIn(this.#found).length
  }

  /** Whether there is something to say of a file. */
  about(file: string): boolean {
    return this.#found.some((issue) => issue.file === file)
  }

  /** By file, then line, then in the order they were found: the same folder gives the same list. */
  sorted(): readonly BundleIssue[] {
    return [...this.#found].sort(
      (a, b) => compare(a.file ?? '', b.file ?? '') || (a.line ?? 0) - (b.line ?? 0),
    )
  }
}

/** Order by code unit, which no locale changes. */
export function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** `amodal.json:12  message — fix`, with as much of it as is known. */
export function issueLine({ file, line, message, fix }: BundleIssue): string {
  const place = line === undefined ? file : `${file}:${line}`
  const where = file === undefined ? '' : `${place}  `
  return `${where}${message}${fix === undefined ? '' : ` — ${fix}`}`
}

/** Those that leave something out. */
export const errorsIn = (issues: readonly BundleIssue[]): readonly BundleIssue[] =>
  issues.filter(({ severity }) => severity === 'error')

/** One line: the first issue and the number of further ones; `otherwise` if there is no issue. */
export function issuesTold([first, ...more]: readonly BundleIssue[], otherwise: string): string {
  return first
    ? `${issueLine(first)}${more.length === 0 ? '' : ` (and ${more.length} more)`}`
    : otherwise
}
