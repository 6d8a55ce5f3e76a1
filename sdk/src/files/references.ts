import type { BundleIssue } from '../ports/bundle.ts'
import { didYouMean } from './did-you-mean.ts'

/** A name in one file that stands for something in another. */
export interface Reference {
  readonly name: string
  /** How the message begins, such as `there is no tool "late_fe"`. */
  readonly message: string
  readonly file: string
  /** From 1. */
  readonly line?: number
}

/**
 * The issue for a reference to an unknown name, with the most similar known name.
 *
 * @param known every name that is known
 * @param otherwise what to do if no known name is similar; left out where an unknown name may be
 *   valid, such as a role of an identity provider: then no issue is returned
 * @returns `undefined` where the name is known
 * @example
 * unknownReference({ name: 'late_fe', message: 'there is no tool "late_fe"', file }, ['late_fee'])
 * // there is no tool "late_fe"; did you mean "late_fee"?
 */
export function unknownReference(
  { name, message, file, line }: Reference,
  known: readonly string[],
  otherwise?: string,
): BundleIssue | undefined {
  if (known.includes(name)) return undefined
  const meant = didYouMean(name, known)
  if (meant === undefined && otherwise === undefined) return undefined
  return {
    severity: 'warning',
    code: 'NOT_FOUND',
    message: meant === undefined ? message : `${message}; did you mean "${meant}"?`,
    file,
    ...(line !== undefined && { line }),
    fix: meant === undefined ? (otherwise ?? '') : `write "${meant}"`,
  }
}
