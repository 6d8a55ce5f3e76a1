import type { z } from 'zod'
import { KERNEL_CODES, type Code, type KernelCode, type PluginError } from './errors.ts'
import { Inspector } from './inspector.ts'
import { deepFreeze, isPlain, mergeConfig } from './plain.ts'
import {
  isPlugin,
  KERNEL_API,
  type Entry,
  type Env,
  type Plugin,
  type UseOptions,
} from './plugin.ts'
import { err, messageOf, ok, type Result } from './result.ts'
import { Clock } from './time.ts'
import type { ScopeKind, Slot, Token } from './token.ts'

/** Why a list of plugins cannot run. */
export interface PlanProblem {
  readonly code: Code
  /** Names of the plugins concerned, the one at fault first. */
  readonly plugins: readonly string[]
  readonly message: string
  /** The next step. */
  readonly fix: string
}

/** Why a kernel did not start, or a reload was refused. `explain` of the sdk makes text of it. */
export type KernelError =
  | { readonly kind: 'plan'; readonly problems: readonly PlanProblem[] }
  | { readonly kind: 'plugin'; readonly error: PluginError }

export function problem(
  code: KernelCode,
  plugins: readonly string[],
  message: string,
  fix: string = KERNEL_CODES[code],
): PlanProblem {
  return { code, plugins, message, fix }
}

interface Listed {
  readonly name: string
  readonly plugin: Plugin
  readonly config: unknown
  readonly options: UseOptions
}

/**
 * A plugin in its place; `name` is its `as`, or that of the plugin. `config` is parsed and frozen.
 */
export interface PlannedPlugin extends Listed {
  /** Config before parsing, after `adjustConfig`. */
  readonly raw: unknown
  /** By slot id: who provides it and then who wraps it. What a reload compares. */
  readonly needs: ReadonlyMap<string, readonly string[]>
}

/**
 * `to` stands behind `from`, for this reason. Without `from`, `needs` and `wraps` cannot run; the
 * others can.
 */
export interface PlanEdge {
  readonly from: string
  readonly to: string
  readonly kind: 'needs' | 'wraps' | 'uses' | 'after'
  readonly reason: string
}

/** What will run, and why in this order: pure data. */
export interface Plan {
  readonly plugins: readonly PlannedPlugin[]
  readonly edges: readonly PlanEdge[]
  /** Slot id → plugin; `kernel` for what the kernel itself hands in. */
  readonly providers: ReadonlyMap<string, string>
  /** Slot id → plugins that wrap it, innermost first. */
  readonly decorators: ReadonlyMap<string, readonly string[]>
  readonly mustTap: Required<PlanOptions>['mustTap']
  /** Told at every start, such as a pinned plugin that was taken out. */
  readonly warnings: readonly string[]
  /** `after db-pglite (needs memory-store)`. */
  why(name: string): string
}

export interface PlanOptions {
  /** For `adjustConfig`. */
  readonly env?: Env
  /** Plugins that may only be left out with `unsafe: true`. */
  readonly pinned?: readonly string[]
  /** Hook → plugins that must tap it, or the kernel does not boot. */
  readonly mustTap?: Readonly<Record<string, readonly string[]>>
  /** Slot id → names of plugins that could fill it, for the fix of a missing one. */
  readonly builtinProviders?: Readonly<Record<string, readonly string[]>>
  /** Slots that are filled from outside, beside those of the kernel itself. */
  readonly given?: readonly Slot<unknown>[]
}

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const KERNEL = 'kernel'
/** Every kernel fills these. */
const OWN: readonly Slot<unknown>[] = [Clock, Inspector]

type Report = (...about: Parameters<typeof problem>) => void
/** Who provides a slot, and per what. */
type Providers = ReadonlyMap<
  string,
  { readonly name: string; readonly scope: ScopeKind; readonly protocol: number }
>

const isSlot = (token: Token): token is Slot<unknown> => token.kind === 'slot'

/**
 * Orders a list of plugins, or says everything that is wrong with it. Pure: nothing of a plugin
 * runs but `adjustConfig`.
 *
 * @example
 * const plan = resolvePlan([use(memory, { maxEntries: 20 }), use(memoryStoreInline)])
 * if (!plan.ok) throw new Error(explain(plan.error))
 */
export function resolvePlan(
  entries: readonly Entry[],
  options: PlanOptions = {},
): Result<Plan, readonly PlanProblem[]> {
  const problems: PlanProblem[] = []
  const report: Report = (...about) => void problems.push(problem(...about))
  const { listed, unsafe } = fold(entries, report)
  const unpinned = (options.pinned ?? []).filter((pin) => !listed.some(({ name }) => name === pin))
  for (const pin of unpinned)
    if (!unsafe.has(pin))
      report('PINNED_REMOVED', [pin], `${pin} is pinned and missing from the list`)
  const supply = providersOf(listed, options, report)
  const edges = edgesOf(listed, supply, options, report)
  const order = sort(listed, edges, report)

  const providers = new Map([...supply].map(([id, { name }]) => [id, name]))
  const decorators = new Map<string, readonly string[]>()
  for (const { name, plugin } of order)
    for (const { id } of plugin.decorates) decorators.set(id, [...(decorators.get(id) ?? []), name])
  const plugins = order.map((item): PlannedPlugin => {
    const suppliers = ({ id }: Token): readonly string[] =>
      [providers.get(id) ?? [], decorators.get(id) ?? []]
        .flat()
        .filter((name) => name !== item.name)
    const slots = [
      ...Object.values(item.plugin.requires),
      ...Object.values(item.plugin.optional),
    ].filter(isSlot)
    return Object.freeze({
      ...item,
      ...parseConfig(item, options.env ?? {}, report),
      needs: new Map(slots.map((slot) => [slot.id, suppliers(slot)])),
    })
  })
  if (problems.length > 0) return err(problems)
  const warnings = unpinned.map((pin) => `${pin} is pinned and was taken out with \`unsafe: true\``)
  // What was taken out with `unsafe: true` need not tap anything either.
  const mustTap = Object.fromEntries(
    Object.entries(options.mustTap ?? {}).map(([hook, names]) => [
      hook,
      names.filter((name) => !unsafe.has(name)),
    ]),
  )
  const why = (name: string): string => {
    const reasons = new Set(
      edges.filter(({ to }) => to === name).map(({ from, reason }) => `${from} (${reason})`),
    )
    return reasons.size === 0 ? 'in list order' : `after ${[...reasons].join(', ')}`
  }
  return ok(Object.freeze({ plugins, edges, providers, decorators, mustTap, warnings, why }))
}

/** Later entries win: merge, replace in place, take out. */
function fold(
  entries: readonly Entry[],
  report: Report,
): { readonly listed: readonly Listed[]; readonly unsafe: ReadonlySet<string> } {
  const listed: Listed[] = []
  const unsafe = new Set<string>()
  const find = (name: string): number => listed.findIndex((item) => item.name === name)
  for (const entry of entries) {
    if (entry.kind === 'without') {
      const at = find(entry.name)
      if (at < 0)
        report(
          'UNKNOWN_ENTRY',
          [entry.name],
          `cannot leave out "${entry.name}": it is not in the list`,
        )
      else listed.splice(at, 1)
      if (entry.unsafe) unsafe.add(entry.name)
      continue
    }
    const { plugin, config, options } = entry
    if (!isPlugin(plugin)) {
      report(
        'NOT_A_PLUGIN',
        [],
        `an entry${options.source === undefined ? '' : ` from ${options.source}`} is no plugin`,
      )
      continue
    }
    const name = options.as ?? plugin.name
    const namesake = find(name)
    const at = entry.kind === 'replace' ? find(entry.name) : namesake
    const there = listed[at]
    if (entry.kind === 'replace' && !there)
      report('UNKNOWN_ENTRY', [entry.name], `cannot replace "${entry.name}": it is not in the list`)
    else if (!there) listed.push({ name, plugin, config, options })
    else if (
      entry.kind === 'replace' ? namesake >= 0 && namesake !== at : there.plugin !== plugin
    ) {
      report(
        'DUPLICATE_NAME',
        [name],
        `two different plugins are called "${name}"`,
        'give one of them another name with `as`, or use `replace`',
      )
    } else if (entry.kind === 'replace') listed[at] = { name, plugin, config, options }
    else
      listed[at] = {
        name,
        plugin,
        config: mergeConfig(there.config, config),
        options: { ...there.options, ...options },
      }
  }
  return { listed, unsafe }
}

/** Checks what each plugin says of itself, and finds out who provides what. */
function providersOf(
  listed: readonly Listed[],
  { given = [], pinned = [] }: PlanOptions,
  report: Report,
): Providers {
  const providers = new Map(
    [...OWN, ...given].map(({ id, scope, protocol }) => [id, { name: KERNEL, scope, protocol }]),
  )
  for (const {
    name,
    plugin: { version, kernel, provides },
    options,
  } of listed) {
    if (!NAME.test(name))
      report(
        'NOT_A_PLUGIN',
        [name],
        `"${name}" is no name for a plugin`,
        'use lower-case words joined by `-`',
      )
    if (kernel !== KERNEL_API)
      report(
        'KERNEL_VERSION',
        [name],
        `${name} ${version} is made for kernel ${kernel}; this one is ${KERNEL_API}`,
      )
    if (options.optional === true && pinned.includes(name))
      report('OPTIONAL_GUARD', [name], `${name} is pinned and may not be optional`)
    for (const { id, scope, protocol } of provides.filter(isSlot)) {
      const other = providers.get(id)
      if (other)
        report(
          'SLOT_CONFLICT',
          [name, other.name],
          `${name} and ${other.name} both provide "${id}"`,
        )
      else providers.set(id, { name, scope, protocol })
    }
  }
  return providers
}

/** Who stands behind whom: provider, then decorators, then consumers. */
function edgesOf(
  listed: readonly Listed[],
  providers: Providers,
  { builtinProviders: known = {} }: PlanOptions,
  report: Report,
): readonly PlanEdge[] {
  const claims = (
    tokensOf: (plugin: Plugin) => readonly Token[],
  ): ReadonlyMap<symbol, readonly { readonly name: string }[]> =>
    Map.groupBy(
      listed.flatMap(({ name, plugin }) => tokensOf(plugin).map(({ key }) => ({ name, key }))),
      ({ key }) => key,
    )
  const contributors = claims(({ provides }) => provides)
  const decorators = claims(({ decorates }) => decorates)
  const edges: PlanEdge[] = []
  const edge = (from: string, to: string, kind: PlanEdge['kind'], reason: string): void => {
    if (from !== to && from !== KERNEL) edges.push({ from, to, kind, reason })
  }
  const ask = (name: string, token: Token, kind: 'needs' | 'wraps' | 'uses'): void => {
    const { id, key } = token
    const provider = providers.get(id)
    if (!isSlot(token))
      contributors.get(key)?.forEach((other) => edge(other.name, name, 'uses', `reads ${id}`))
    else if (provider) {
      const { name: from, scope, protocol } = provider
      if (protocol !== token.protocol)
        report(
          'KERNEL_VERSION',
          [name, from],
          `${name} knows version ${token.protocol} of "${id}", and ${from} version ${protocol}`,
          `install versions of ${name} and ${from} that were made for each other`,
        )
      if (scope !== token.scope)
        report(
          'SCOPE_LEAK',
          [name, from],
          `${name} asks for "${id}" per ${token.scope}, but ${from} provides it per ${scope}`,
        )
      edge(from, name, kind, `${kind} ${id}`)
      if (kind !== 'wraps')
        decorators
          .get(key)
          ?.forEach((other) => edge(other.name, name, 'uses', `needs ${id}, which it wraps`))
    } else if (kind !== 'uses') {
      const fix = known[id]?.length ? `add ${known[id].join(' or ')}` : undefined
      report(
        'MISSING_PROVIDER',
        [name],
        `${name} ${kind} "${id}", and no plugin in the list provides it`,
        fix,
      )
    }
  }
  for (const {
    name,
    plugin: { requires, optional, decorates, after },
  } of listed) {
    const wrapped = new Set<symbol>(decorates.map(({ key }) => key))
    for (const slot of decorates) ask(name, slot, 'wraps')
    for (const token of Object.values(requires))
      if (!wrapped.has(token.key)) ask(name, token, 'needs')
    for (const token of Object.values(optional))
      if (!wrapped.has(token.key)) ask(name, token, 'uses')
    for (const wanted of after) {
      for (const other of listed)
        if (other.name === wanted || other.plugin.name === wanted)
          edge(other.name, name, 'after', 'by `after`')
    }
  }
  return edges
}

/**
 * List order, with what is needed pulled forward: stable, and each circle is reported once with its
 * full path.
 */
function sort(
  listed: readonly Listed[],
  edges: readonly PlanEdge[],
  report: Report,
): readonly Listed[] {
  const place = new Map(listed.map(({ name }, index) => [name, index]))
  const placeOf = ({ from }: PlanEdge): number => place.get(from) ?? 0
  const before = Map.groupBy(
    edges.toSorted((a, b) => placeOf(a) - placeOf(b)),
    ({ to }) => to,
  )
  const order = new Set<Listed>()
  const path: PlanEdge[] = []
  const visit = (item: Listed): void => {
    if (order.has(item)) return
    const start = path.findIndex(({ to }) => to === item.name)
    if (start >= 0) return reportCircle(path.slice(start), report)
    for (const edge of before.get(item.name) ?? []) {
      const needed = listed[placeOf(edge)]
      path.push(edge)
      if (needed) visit(needed)
      path.pop()
    }
    order.add(item)
  }
  listed.forEach(visit)
  return [...order]
}

function reportCircle(path: readonly PlanEdge[], report: Report): void {
  const names = path.map(({ to }) => to)
  const reasons = path.map(({ to, reason }) => `${to} ${reason}`)
  report(
    'CYCLE',
    names,
    `plugins wait for each other: ${[...names, ...names.slice(0, 1)].join(' → ')} (${reasons.join('; ')})`,
    'break the circle: look one of these up where it is used, through a registry or a slot of the session',
  )
}

function parseConfig(
  { name, plugin, config: given }: Listed,
  env: Env,
  report: Report,
): { readonly raw: unknown; readonly config: unknown } {
  const config = given ?? {}
  const refuse = (path: readonly PropertyKey[], message: string): void =>
    report(
      'BAD_CONFIG',
      [name],
      `config of ${name}${path.length === 0 ? '' : `, \`${path.map(String).join('.')}\``}: ${message}`,
    )
  try {
    const raw = (isPlain(config) ? plugin.adjustConfig?.(config, env) : undefined) ?? config
    if (!isPlain(raw)) refuse([], 'must be an object')
    else if (plugin.config) {
      for (const key of dropped(plugin.config, raw))
        refuse([key], 'unknown: the schema of this plugin has no such field')
      // read once: compiling the check costs more than it saves
      const parsed = plugin.config.safeParse(raw, { jitless: true })
      if (parsed.success) return { raw, config: deepFreeze(parsed.data) }
      for (const issue of parsed.error.issues) refuse(issue.path, issue.message)
    } else {
      for (const key of Object.keys(raw))
        refuse([key], 'unknown: this plugin takes no configuration')
      return { raw, config: Object.freeze({}) }
    }
  } catch (cause) {
    refuse([], messageOf(cause))
  }
  return { raw: config, config: undefined }
}

/**
 * Fields that a schema of the plugin would drop in silence: whoever gives one means something by
 * it. `z.looseObject` takes them.
 */
function dropped(
  schema: z.core.$ZodType,
  raw: Readonly<Record<string, unknown>>,
): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod // every schema is one of these
  switch (def.type) {
    case 'object':
      return def.catchall === undefined
        ? Object.keys(raw).filter((key) => !Object.hasOwn(def.shape, key))
        : []
    case 'pipe':
      return dropped(def.in, raw)
    case 'default':
    case 'prefault':
    case 'optional':
    case 'nullable':
    case 'readonly':
    case 'catch':
      return dropped(def.innerType, raw)
    default:
      return []
  }
}
