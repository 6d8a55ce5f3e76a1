import { createRequire } from 'node:module'
import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import type * as Semver from 'semver'

// Loaded by the first constraint.
const load = createRequire(import.meta.url)
const semver = (): typeof Semver => load('semver') as typeof Semver

/** The number of a version: published ones have no labels. */
export interface VersionNumber {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

const NUMBER = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/

export function parseVersion(text: string): VersionNumber | undefined {
  const [, major, minor, patch] = NUMBER.exec(text) ?? []
  return patch === undefined
    ? undefined
    : { major: Number(major), minor: Number(minor), patch: Number(patch) }
}

export const versionText = ({ major, minor, patch }: VersionNumber): string =>
  `${major}.${minor}.${patch}`

export const compareVersions = (a: VersionNumber, b: VersionNumber): number =>
  a.major - b.major || a.minor - b.minor || a.patch - b.patch

/** Whether a version fits a constraint. */
export type Constraint = (version: string) => boolean

const LONGEST = 200
const CLAUSE = /^(===|==|!=|~=|<=|>=|<|>)\s*v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(\.\*)?$/

/**
 * Parses a constraint: clauses of PEP 440 that are separated by commas, such as `>=1.2,<2`, or a
 * range of semver, such as `^1.2` or `1.x`. As PEP 440 says, `>1.2` means later than 1.2.0.
 *
 * @returns `VALIDATION_ERROR` where it is neither
 * @example
 * const fits = parseConstraint('>=1.2,<2,!=1.3.0')
 * if (fits.ok) fits.value('1.4.1') // true
 * @see https://peps.python.org/pep-0440/#version-specifiers
 */
export function parseConstraint(text: string): Result<Constraint, Failure> {
  const clauses = text.split(',').map((clause) => clause.trim())
  if (text.length > LONGEST || clauses.some((clause) => clause === '')) return refused(text)
  const tests = clauses.map(testOf)
  return tests.every((test) => test !== undefined)
    ? ok((version) => tests.every((test) => test(version)))
    : refused(text)
}

const refused = (text: string): Result<never, Failure> =>
  err(
    failure(
      'VALIDATION_ERROR',
      `${JSON.stringify(text.slice(0, LONGEST))} is no version constraint: write it as in ">=1.2,<2" or "^1.2"`,
    ),
  )

function testOf(clause: string): Constraint | undefined {
  const parts = CLAUSE.exec(clause)
  if (!parts) return inRange(clause)
  const [, operator = '', major = '0', minor, patch, any] = parts
  const given = [major, minor, patch].filter((part) => part !== undefined).map(Number)
  if (any === undefined) return compared(operator, given)
  // `.*` is a prefix, and stands behind two numbers at most
  if (given.length > 2 || (operator !== '==' && operator !== '!=')) return undefined
  const inside = inRange(given.join('.'))
  return operator === '==' ? inside : inside && ((version) => !inside(version))
}

function compared(operator: string, given: readonly number[]): Constraint | undefined {
  const padded = [...given, 0, 0].slice(0, 3).join('.')
  switch (operator) {
    case '!=':
      return (version) => version !== padded
    case '==':
    case '===':
      return (version) => version === padded
    case '~=':
      return compatible(given, padded)
    default:
      return inRange(`${operator}${padded}`)
  }
}

/** `~=1.4` is `>=1.4.0 <2.0.0`, and `~=1.4.2` is `>=1.4.2 <1.5.0`. */
function compatible(given: readonly number[], padded: string): Constraint | undefined {
  const [major = 0, minor = 0] = given
  if (given.length < 2) return undefined
  const end = given.length === 2 ? `${major + 1}.0.0` : `${major}.${minor + 1}.0`
  return inRange(`>=${padded} <${end}`)
}

function inRange(text: string): Constraint | undefined {
  const { Range, satisfies, validRange } = semver()
  if (validRange(text) === null) return undefined
  const range = new Range(text)
  return (version) => satisfies(version, range)
}
