import {
  err,
  KERNEL_API,
  ok,
  type Capabilities,
  type Plugin,
  type Result,
  type Token,
} from '@amodal/kernel'
import { reachOf, type PackageCapabilities } from '../packages/capabilities.ts'
import { tablesOf } from '../packages/tables.ts'
import { Migrations } from '../ports/database.ts'
import { declarationsOf, entriesOf, routesOf } from './declarations.ts'

/** What a package.json says of its plugin. */
export interface PackageManifest {
  readonly plugin: string
  readonly kernel: number
  /** The version of the interface of each slot that it asks for, fills or wraps. */
  readonly slots: Readonly<Record<string, number>>
  /** Codes of errors that it defines. */
  readonly errors: readonly string[]
  /** Types of events that it defines. */
  readonly events: readonly string[]
  readonly capabilities: Listed
}

/** Lists as a manifest has them. */
export type Listed = { readonly [K in keyof PackageCapabilities]-?: readonly string[] }

/** What a `setup` registers. */
interface Registered extends Required<Pick<Capabilities, 'taps' | 'adds'>> {
  readonly tables: readonly string[]
  readonly routes: readonly string[]
}

/**
 * What belongs under `amodal` in the package.json of a plugin: what it declares, and what its
 * `setup` registers, which does no I/O.
 *
 * @param config one that its schema takes
 * @returns a sentence where its schema takes no such config, or its `setup` throws
 * @example
 * const manifest = manifestFor(memory, {})
 */
export function manifestFor(plugin: Plugin, config: unknown): Result<PackageManifest, string> {
  const registered = registeredBy(plugin, config)
  if (!registered.ok) return err(`${plugin.name}: ${registered.error}`)
  const { requires, optional, provides, decorates, claims = {} } = plugin
  const { hosts = [], secrets = [], files = [], processes = [] } = reachOf(plugin)
  const required = [...Object.values(requires), ...Object.values(optional)]
  return ok({
    plugin: plugin.name,
    kernel: KERNEL_API,
    slots: protocolsOf([...required, ...provides, ...decorates]),
    errors: sorted(claims['error code'] ?? []),
    events: sorted(claims['event type'] ?? []),
    capabilities: {
      requires: ids(required),
      provides: ids(provides),
      decorates: ids(decorates),
      taps: registered.value.taps,
      adds: registered.value.adds,
      hosts: sorted(hosts),
      secrets: sorted(secrets),
      files: sorted(files),
      processes: sorted(processes),
      tables: registered.value.tables,
      routes: registered.value.routes,
    },
  })
}

const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].toSorted()
const ids = (tokens: readonly Token[]): readonly string[] => sorted(tokens.map(({ id }) => id))

const protocolsOf = (tokens: readonly Token[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    tokens
      .flatMap((token) => (token.kind === 'slot' ? [[token.id, token.protocol] as const] : []))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )

/**
 * What a plugin registers.
 *
 * @param given a config that its schema takes
 */
function registeredBy(plugin: Plugin, given: unknown): Result<Registered, string> {
  const declared = declarationsOf(plugin, given)
  if (!declared.ok) return declared
  const routes = routesOf(declared.value)
  if (!routes.ok) return routes
  const { taps, entries } = declared.value
  return ok({
    taps: sorted(taps.map(({ hook }) => hook)),
    adds: sorted(entries.map(({ registry }) => registry)),
    tables: sorted([...entriesOf(declared.value, Migrations).values()].flatMap(tablesOf)),
    routes: sorted(routes.value.map(({ prefix }) => prefix)),
  })
}
