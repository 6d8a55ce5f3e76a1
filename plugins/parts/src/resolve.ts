import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { PartsConflict, PartsCycle, PartsNotFound, PartsRefused, withFix } from './errors.ts'
import { fetchPackage, fromRegistry, restorePackage, type FetchedPackage } from './fetch-package.ts'
import { semver } from './libraries.ts'
import type { LockedPackage } from './locked.ts'
import { isPartsManifest } from './package-manifest.ts'
import { chooseVersion, publicationsOf } from './registry.ts'
import type { RegistryContext } from './registry-context.ts'
import { dependencySource, pathOf, type Source } from './source.ts'

/** A package together with all that it needs; more would be no tree that a person has reviewed. */
const MOST_PACKAGES = 200

/** All packages of an agent, by name. */
export interface Resolution {
  readonly packages: ReadonlyMap<string, FetchedPackage>
  /** Dependencies that are no packages of parts, which are not installed, by who names them. */
  readonly ignored: readonly { readonly name: string; readonly by: string }[]
}

interface Demand {
  readonly name: string
  readonly by: string
  readonly source: Source
}

interface ResolverOptions {
  readonly context: RegistryContext
  /** Versions to keep where they fit. */
  readonly locked: ReadonlyMap<string, LockedPackage>
  /** Packages that were fetched already, by name. */
  readonly fetched?: ReadonlyMap<string, FetchedPackage>
}

/**
 * Finds one version of each package that all who need it agree on. A version of the lock stays
 * where it fits.
 *
 * @param wanted sources by the names of packages that amodal.json names
 * @returns `PARTS_CONFLICT`, `PARTS_CYCLE`, `PARTS_NOT_FOUND`, `PARTS_TAMPERED` or why a package is
 *   refused
 */
export async function resolvePackages(
  wanted: ReadonlyMap<string, Source>,
  options: ResolverOptions,
): Promise<Result<Resolution, Failure>> {
  const resolver = new Resolver(options)
  const resolved = await resolver.resolve(wanted)
  if (!resolved.ok) return resolved
  const cycle = cycleIn(resolved.value.packages)
  return cycle === undefined
    ? resolved
    : err(PartsCycle(`these packages depend on each other: ${cycle.join(' → ')}`))
}

class Resolver {
  readonly #options: ResolverOptions
  readonly #chosen = new Map<string, FetchedPackage>()
  /** Names of dependencies that are no packages of parts. */
  readonly #others = new Map<string, string>()

  constructor(options: ResolverOptions) {
    this.#options = options
    for (const [name, fetched] of options.fetched ?? []) this.#chosen.set(name, fetched)
  }

  async resolve(wanted: ReadonlyMap<string, Source>): Promise<Result<Resolution, Failure>> {
    // Each round settles one package; a version that turns out not to fit is chosen anew.
    for (let round = 0; round < MOST_PACKAGES * 4; round++) {
      const demands = await this.#demands(wanted)
      if (!demands.ok) return demands
      if (demands.value.size > MOST_PACKAGES)
        return err(PartsRefused(`they need more than ${MOST_PACKAGES} packages`))
      const open = [...demands.value].find(([name, all]) => !this.#fits(name, all))
      if (!open) {
        const packages = [...demands.value.keys()].flatMap((name) => {
          const fetched = this.#chosen.get(name)
          return fetched ? [[name, fetched] as const] : []
        })
        const ignored = [...this.#others].map(([name, by]) => ({ name, by }))
        return ok({ packages: new Map(packages), ignored })
      }
      const settled = await this.#choose(...open)
      if (!settled.ok) return settled
    }
    return err(PartsConflict('no versions can be found that all of these packages agree on'))
  }

  /** Who needs which package, with the versions that are chosen so far. */
  async #demands(
    wanted: ReadonlyMap<string, Source>,
  ): Promise<Result<ReadonlyMap<string, readonly Demand[]>, Failure>> {
    const demands = new Map<string, Demand[]>()
    const waiting: Demand[] = [...wanted].map(([name, source]) => ({
      name,
      by: 'amodal.json',
      source,
    }))
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const known = demands.get(next.name)
      demands.set(next.name, [...(known ?? []), next])
      const fetched = this.#chosen.get(next.name)
      if (known !== undefined || !fetched) continue
      const { locked, base, name: by } = fetched
      for (const [name, spec] of Object.entries(locked.dependencies)) {
        if (this.#others.has(name)) continue
        const source = await dependencySource(name, spec, base, this.#options.context.root)
        if (!source.ok) return err({ ...source.error, message: `${by}: ${source.error.message}` })
        waiting.push({ name, by: `${by}@${locked.version}`, source: source.value })
      }
    }
    return ok(demands)
  }

  #fits(name: string, demands: readonly Demand[]): boolean {
    const chosen = this.#chosen.get(name)
    return chosen !== undefined && demands.every(({ source }) => isMet(source, chosen.locked))
  }

  async #choose(name: string, demands: readonly Demand[]): Promise<Result<void, Failure>> {
    const fixed = new Map(
      demands.flatMap(({ source }) => (source.kind === 'registry' ? [] : [[source.from, source]])),
    )
    if (fixed.size > 1) return err(conflict(name, demands))
    const { context, locked } = this.#options
    const entry = locked.get(name)
    if (entry && demands.every(({ source }) => isMet(source, entry)) && !this.#chosen.has(name)) {
      const restored =
        entry.link === true
          ? await linkedPackage(entry, context)
          : await restorePackage(name, entry, context)
      return restored.ok ? this.#take(name, restored.value, demands) : restored
    }
    const [source] = fixed.values()
    if (source) {
      const fetched = await fetchPackage(source, context)
      return fetched.ok ? this.#take(name, fetched.value, demands) : fetched
    }
    return this.#fromRegistry(name, demands)
  }

  async #fromRegistry(name: string, demands: readonly Demand[]): Promise<Result<void, Failure>> {
    const { context } = this.#options
    const publications = await publicationsOf(name, context)
    const first = demands[0]
    if (!publications.ok) return publications
    const ranges = demands.flatMap(({ source }) =>
      source.kind === 'registry' ? [source.range] : [],
    )
    const published = chooseVersion(publications.value, ranges)
    if (!published)
      return err(
        demands.length > 1
          ? conflict(name, demands)
          : withFix(
              PartsNotFound(`${name} has no version that fits "${ranges[0] ?? ''}"`),
              `versions: ${[...publications.value.versions.keys()].slice(-10).join(', ')}`,
            ),
      )
    if (!isPartsManifest(published.manifest) && first && first.by !== 'amodal.json') {
      this.#others.set(name, first.by)
      return ok(undefined)
    }
    const from = first?.source.from ?? name
    const fetched = await fromRegistry(name, published, from, context)
    return fetched.ok ? this.#take(name, fetched.value, demands) : fetched
  }

  #take(name: string, fetched: FetchedPackage, demands: readonly Demand[]): Result<void, Failure> {
    if (fetched.name !== name)
      return err(PartsRefused(`${fetched.locked.from} is ${fetched.name}, and ${name} is wanted`))
    this.#chosen.set(name, fetched)
    return this.#fits(name, demands) ? ok(undefined) : err(conflict(name, demands))
  }
}

/** The package of a link as its folder has it now; its hashes say nothing. */
async function linkedPackage(
  entry: LockedPackage,
  context: RegistryContext,
): Promise<Result<FetchedPackage, Failure>> {
  const path = pathOf(entry.from, context.root)
  const fetched = await fetchPackage({ kind: 'folder', from: entry.from, path }, context)
  if (!fetched.ok) return fetched
  const { integrity, tree } = entry
  return ok({ ...fetched.value, locked: { ...fetched.value.locked, integrity, tree, link: true } })
}

/** Whether a version is one that a source means. A tag names a version only when it is fetched. */
function isMet(source: Source, { version, from }: LockedPackage): boolean {
  if (source.kind !== 'registry') return source.from === from
  return (
    from === source.from ||
    semver().satisfies(version, source.range, { includePrerelease: false }) ||
    source.range === 'latest'
  )
}

function conflict(name: string, demands: readonly Demand[]): Failure {
  const wishes = demands.map(({ by, source }) => `${by} wants ${source.from}`)
  return PartsConflict(`no version of ${name} fits all: ${wishes.join('; ')}`)
}

/** The names of packages that depend on each other in a circle. */
export function cycleIn(
  packages: ReadonlyMap<string, Pick<FetchedPackage, 'locked'>>,
): readonly string[] | undefined {
  const done = new Set<string>()
  for (const start of packages.keys()) {
    const path: { readonly name: string; readonly open: string[] }[] = []
    const enter = (name: string): void => {
      const needs = Object.keys(packages.get(name)?.locked.dependencies ?? {})
      path.push({ name, open: needs.filter((one) => packages.has(one)) })
    }
    if (!done.has(start)) enter(start)
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const next = last.open.shift()
      if (next === undefined) {
        done.add(last.name)
        path.pop()
      } else {
        const at = path.findIndex(({ name }) => name === next)
        if (at !== -1) return [...path.slice(at).map(({ name }) => name), next]
        if (!done.has(next)) enter(next)
      }
    }
  }
  return undefined
}
