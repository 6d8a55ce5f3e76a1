import type { Capabilities, Plugin } from '@amodal/kernel'

/** What a plugin reaches outside of the kernel. A list that is left out is empty. */
export interface Reach {
  /** Hosts that it sends requests to; `*` is any run of characters: `*.example.com`. */
  readonly hosts?: readonly string[]
  /** Variables of the environment that it reads through `Secrets`; `*` as in hosts. */
  readonly secrets?: readonly string[]
  /** Files and folders that it opens, in words of its author: `.cache/weather`. */
  readonly files?: readonly string[]
  /** Programs that it starts: `git`. */
  readonly processes?: readonly string[]
}

/** All that a package says that its plugin does, by ids, names and patterns. */
export interface PackageCapabilities extends Capabilities, Reach {
  /** Tables that its migrations make. */
  readonly tables?: readonly string[]
  /** Paths at which it mounts routes; what lies below them is its own, too. */
  readonly routes?: readonly string[]
}

/** The kinds of capabilities, with what a person reads for each. */
export const CAPABILITY_KINDS: Readonly<Record<keyof PackageCapabilities, string>> = {
  hosts: 'sends requests to',
  secrets: 'reads the secrets',
  files: 'opens the files',
  processes: 'starts the programs',
  tables: 'makes the tables',
  routes: 'serves the routes',
  taps: 'taps the hooks',
  requires: 'uses',
  provides: 'provides',
  decorates: 'wraps',
  adds: 'adds to',
}

// a literal of that type has its keys
const KINDS = Object.keys(CAPABILITY_KINDS) as (keyof PackageCapabilities)[]

/** What `now` may do beyond `before`, and what it does not do any more, by kind. */
export interface CapabilityChange {
  readonly kind: keyof PackageCapabilities
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/**
 * Compares what was accepted with what a package says now.
 *
 * @returns the kinds that differ, in the order of {@link CAPABILITY_KINDS}
 */
export function capabilityChanges(
  before: PackageCapabilities,
  now: PackageCapabilities,
): readonly CapabilityChange[] {
  return KINDS.flatMap((kind) => {
    const [old, next] = [before[kind] ?? [], now[kind] ?? []]
    const added = next.filter((one) => !old.includes(one))
    const removed = old.filter((one) => !next.includes(one))
    return added.length + removed.length === 0 ? [] : [{ kind, added, removed }]
  })
}

/** What a plugin lists under `reaches`, without starting it. */
export const reachOf = (plugin: Plugin): Reach =>
  'reaches' in plugin && typeof plugin.reaches === 'object' && plugin.reaches !== null
    ? plugin.reaches
    : {}
