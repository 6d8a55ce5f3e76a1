import { satisfies } from 'semver'

/** A known weakness of a package, as <https://github.com/advisories> tells of it. */
export interface Advisory {
  readonly id: string
  readonly package: string
  readonly vulnerable: string
  readonly summary: string
}

/** A package of a lock file. */
export interface Locked {
  readonly name: string
  readonly version: string
}

/** The packages that a pnpm lock names, each version of them once. */
export function lockedIn(lock: string): readonly Locked[] {
  const packages = /^packages:\n([\s\S]*?)^(?=snapshots:|\S)/m.exec(`${lock}\nend:`)?.[1] ?? ''
  return [...packages.matchAll(/^ {2}'?(@?[^@'\n]+)@([^:'\n(]+)'?:$/gm)].map(
    ([, name = '', version = '']) => ({ name, version }),
  )
}

/** What is known of these packages, one line for each. */
export function weaknesses(
  locked: readonly Locked[],
  advisories: readonly Advisory[],
): readonly string[] {
  return locked.flatMap(({ name, version }) =>
    advisories.flatMap((one) =>
      one.package === name && satisfies(version, one.vulnerable, { includePrerelease: true })
        ? [`${name}@${version}: ${one.summary} (${one.id})`]
        : [],
    ),
  )
}
