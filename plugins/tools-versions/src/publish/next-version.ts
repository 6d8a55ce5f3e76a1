import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { BumpTooSmall } from '../errors.ts'
import { versionText, type VersionNumber } from '../versions.ts'
import {
  bumpOf,
  BUMPS,
  contractDifferences,
  type Bump,
  type Contract,
} from './schema-difference.ts'

const MOST_SHOWN = 10

/** The latest version of a tool. */
export interface Published {
  readonly number: VersionNumber
  readonly contract: Contract
}

/**
 * The number of the next version: 1.0.0, or as the differences from the latest one demand.
 *
 * @param requested at least as much as the differences demand; `undefined`: just that
 */
export function nextVersion(
  latest: Published | undefined,
  contract: Contract,
  requested: Bump | undefined,
): Result<VersionNumber, Failure> {
  if (!latest) return ok({ major: 1, minor: 0, patch: 0 })
  const differences = contractDifferences(latest.contract, contract)
  const needed = bumpOf(differences)
  if (requested !== undefined && BUMPS.indexOf(requested) < BUMPS.indexOf(needed)) {
    const shown = differences
      .filter(({ bump }) => BUMPS.indexOf(bump) > BUMPS.indexOf(requested))
      .slice(0, MOST_SHOWN)
      .map(({ path, change }) => `${path} ${change}`)
    return err(
      BumpTooSmall(
        `the difference from ${versionText(latest.number)} is ${needed}, and ${requested} was requested: ${shown.join('; ')}`,
      ),
    )
  }
  return ok(bumped(latest.number, requested ?? needed))
}

export function bumped({ major, minor, patch }: VersionNumber, bump: Bump): VersionNumber {
  switch (bump) {
    case 'major':
      return { major: major + 1, minor: 0, patch: 0 }
    case 'minor':
      return { major, minor: minor + 1, patch: 0 }
    case 'patch':
      return { major, minor, patch: patch + 1 }
  }
}
