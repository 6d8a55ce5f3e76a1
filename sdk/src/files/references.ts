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
 * Says that nothing has the name of a reference, with the one that was probably meant.
 *
 * @param known every name that is known
 * @param otherwise what to do where no name is near; left out where a name that is not known may be
 *   right all the same, such as a role of an identity provider: nothing is said then
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
