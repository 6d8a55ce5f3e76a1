import { CODES, type Code, type PluginError } from './errors.ts'
import type { HookName } from './hooks/catalog.ts'
import { deepFreeze, isPlain, mergeConfig } from './plain.ts'
import { isPlugin, KERNEL_API, type Entry, type Env, type Plugin, type UseOptions } from './plugin.ts'
import { err, messageOf, ok, type Result } from './result.ts'
import type { Slot, Token } from './token.ts'

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

export function problem(code: Code, plugins: readonly string[], message: string, fix: string = CODES[code]): PlanProblem {
  return { code, plugins, message, fix }
}

interface Listed { readonly name: string; readonly plugin: Plugin; readonly config: unknown; readonly options: UseOptions }

/** A plugin in its place; `name` is its `as`, or that of the plugin. `config` is parsed and frozen. */
export interface PlannedPlugin extends Listed {
  /** Config before parsing, after `adjustConfig`. */
  readonly raw: unknown
  /** By slot id: who provides it and then who wraps it. What a reload compares. */
  readonly needs: ReadonlyMap<string, readonly string[]>
}

/** `to` stands behind `from`, for this reason. Without `from`, `needs` and `wraps` cannot run; the others can. */
export interface PlanEdge { readonly from: string; readonly to: string; readonly kind: 'needs' | 'wraps' | 'uses' | 'after'; readonly reason: string }

/** What will run, and why in this order: pure data. */
export interface Plan {
  readonly plugins: readonly PlannedPlugin[]
  readonly edges: readonly PlanEdge[]
  /** Slot id → plugin; `kernel` for what the kernel itself hands in. */
  readonly providers: ReadonlyMap<string, string>
  /** Slot id → plugins that wrap it, innermost first. */
  readonly decorators: ReadonlyMap<string, readonly string[]>
  readonly mustTap: MustTap
  /** Told at every start, such as a pinned plugin that was taken out. */
  readonly warnings: readonly string[]
  /** `after db-pglite (needs memory-store)`. */
  why(name: string): string
}

export type MustTap = Partial<Readonly<Record<HookName, readonly string[]>>>

export interface PlanOptions {
  /** For `adjustConfig`. */
  readonly env?: Env
  /** Plugins that may only be left out with `unsafe: true`. */
  readonly pinned?: readonly string[]
  /** Which plugins must tap a hook, or the kernel does not boot. */
  readonly mustTap?: MustTap
  /** Slot id → names of plugins that could fill it, for the fix of a missing one. */
  readonly builtinProviders?: Readonly<Record<string, readonly string[]>>
  /** Slots that the kernel hands in. */
  readonly given?: readonly Slot<unknown>[]
}

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const KERNEL = 'kernel'

/** Who says something about a token. */
interface Claim { readonly name: string; readonly token: Token }
type Claims = ReadonlyMap<symbol, readonly Claim[]>

const isSlot = (token: Token): token is Slot<unknown> => token.kind === 'slot'
const claimsOf = (listed: readonly Listed[], tokensOf: (plugin: Plugin) => readonly Token[]): readonly Claim[] =>
  listed.flatMap(({ name, plugin }) => tokensOf(plugin).map((token) => ({ name, token })))
const byToken = (claims: readonly Claim[]): Claims => Map.groupBy(claims, ({ token }) => token.key)

/**
 * Orders a list of plugins, or says everything that is wrong with it. Pure: nothing of a plugin runs but `adjustConfig`.
 *
 * @example
 * const plan = resolvePlan([use(memory, { maxEntries: 20 }), use(memoryStoreInline)])
 * if (!plan.ok) throw new Error(explain(plan.error))
 */
export function resolvePlan(entries: readonly Entry[], options: PlanOptions = {}): Result<Plan, readonly PlanProblem[]> {
  const problems: PlanProblem[] = []
  const { listed, unsafe } = fold(entries, problems)
  checkMetadata(listed, problems)
  const warnings = checkPins(listed, unsafe, options.pinned ?? [], problems)
  const given = (options.given ?? []).map((token) => ({ name: KERNEL, token }))
  const offers = byToken([...given, ...claimsOf(listed, ({ provides }) => provides)])
  checkConflicts(offers, problems)
  const edges = edgesOf(listed, offers, byToken(claimsOf(listed, ({ decorates }) => decorates)), options, problems)
  const order = sort(listed, edges, problems)

  const providers = new Map([...offers.values()].flat().filter(({ token }) => isSlot(token)).map(({ name, token }) => [token.id, name]))
  const wraps = byToken(claimsOf(order, ({ decorates }) => decorates))
  const decorators = new Map([...wraps.values()].map((claims) => [claims[0]?.token.id ?? '', claims.map(({ name }) => name)]))
  const plugins = order.map((item): PlannedPlugin => {
    const { requires, optional } = item.plugin
    const needs = [...Object.values(requires), ...Object.values(optional)].filter(isSlot)
      .map(({ id }) => [id, [providers.get(id) ?? [], decorators.get(id) ?? []].flat().filter((name) => name !== item.name)] as const)
    return Object.freeze({ ...item, ...parseConfig(item, options.env ?? {}, problems), needs: new Map(needs) })
  })
  if (problems.length > 0) return err(problems)
  // What was taken out with `unsafe: true` need not tap anything either.
  const mustTap = Object.fromEntries(Object.entries(options.mustTap ?? {}).map(([hook, names]) => [hook, names.filter((name) => !unsafe.has(name))]))
  const why = (name: string): string => {
    const reasons = new Set(edges.filter(({ to }) => to === name).map(({ from, reason }) => `${from} (${reason})`))
    return reasons.size === 0 ? 'in list order' : `after ${[...reasons].join(', ')}`
  }
  return ok(Object.freeze({ plugins, edges, providers, decorators, mustTap, warnings, why }))
}

/** Later entries win: merge, replace in place, take out. */
function fold(entries: readonly Entry[], problems: PlanProblem[]): { readonly listed: readonly Listed[]; readonly unsafe: ReadonlySet<string> } {
  const listed: Listed[] = []
  const unsafe = new Set<string>()
  const find = (name: string): number => listed.findIndex((item) => item.name === name)
  const unknown = (name: string, what: string): void =>
    void problems.push(problem('UNKNOWN_ENTRY', [name], `cannot ${what} "${name}": it is not in the list`))
  for (const entry of entries) {
    if (entry.kind === 'without') {
      const at = find(entry.name)
      if (at < 0) unknown(entry.name, 'leave out')
      else listed.splice(at, 1)
      if (entry.unsafe) unsafe.add(entry.name)
      continue
    }
    const { plugin, config, options } = entry
    if (!isPlugin(plugin)) {
      problems.push(problem('NOT_A_PLUGIN', [], `an entry${options.source === undefined ? '' : ` from ${options.source}`} is no plugin`))
      continue
    }
    const name = options.as ?? plugin.name
    const namesake = find(name)
    const at = entry.kind === 'replace' ? find(entry.name) : namesake
    const there = listed[at]
    if (entry.kind === 'replace' && !there) unknown(entry.name, 'replace')
    else if (!there) listed.push({ name, plugin, config, options })
    else if (entry.kind === 'replace' ? namesake >= 0 && namesake !== at : there.plugin !== plugin) {
      problems.push(problem('DUPLICATE_NAME', [name], `two different plugins are called "${name}"`, 'give one of them another name with `as`, or use `replace`'))
    } else if (entry.kind === 'replace') listed[at] = { name, plugin, config, options }
    else listed[at] = { name, plugin, config: mergeConfig(there.config, config), options: { ...there.options, ...options } }
  }
  return { listed, unsafe }
}

function checkMetadata(listed: readonly Listed[], problems: PlanProblem[]): void {
  for (const { name, plugin: { version, kernel } } of listed) {
    if (!NAME.test(name)) problems.push(problem('NOT_A_PLUGIN', [name], `"${name}" is no name for a plugin`, 'use lower-case words joined by `-`'))
    if (kernel !== KERNEL_API) problems.push(problem('KERNEL_VERSION', [name], `${name} ${version} is made for kernel ${kernel}; this one is ${KERNEL_API}`))
  }
}

/** Returns the warnings. */
function checkPins(listed: readonly Listed[], unsafe: ReadonlySet<string>, pinned: readonly string[], problems: PlanProblem[]): readonly string[] {
  const missing = pinned.filter((pin) => !listed.some(({ name }) => name === pin))
  for (const { name, options } of listed) {
    if (options.optional === true && pinned.includes(name)) problems.push(problem('OPTIONAL_GUARD', [name], `${name} is pinned and may not be optional`))
  }
  for (const pin of missing) if (!unsafe.has(pin)) problems.push(problem('PINNED_REMOVED', [pin], `${pin} is pinned and missing from the list`))
  return missing.filter((pin) => unsafe.has(pin)).map((pin) => `${pin} is pinned and was taken out with \`unsafe: true\``)
}

function checkConflicts(offers: Claims, problems: PlanProblem[]): void {
  for (const [first, ...others] of offers.values()) {
    if (!first || !isSlot(first.token)) continue
    for (const { name, token } of others) problems.push(problem('SLOT_CONFLICT', [name, first.name], `${name} and ${first.name} both provide "${token.id}"`))
  }
}

/** Who stands behind whom: provider, then decorators, then consumers. */
function edgesOf(listed: readonly Listed[], offers: Claims, wraps: Claims, { builtinProviders = {} }: PlanOptions, problems: PlanProblem[]): readonly PlanEdge[] {
  const edges: PlanEdge[] = []
  const edge = (from: string, to: string, kind: PlanEdge['kind'], reason: string): void => {
    if (from !== to && from !== KERNEL) edges.push({ from, to, kind, reason })
  }
  const ask = (name: string, slot: Slot<unknown>, kind: 'needs' | 'wraps' | 'uses'): void => {
    const [provider] = offers.get(slot.key) ?? []
    if (!provider) {
      const known = builtinProviders[slot.id] ?? []
      const fix = known.length > 0 ? `add ${known.join(' or ')}` : CODES.MISSING_PROVIDER
      if (kind !== 'uses') problems.push(problem('MISSING_PROVIDER', [name], `${name} ${kind} "${slot.id}", and no plugin in the list provides it`, fix))
      return
    }
    if (isSlot(provider.token) && provider.token.scope !== slot.scope) {
      problems.push(problem('SCOPE_LEAK', [name, provider.name],
        `${name} asks for "${slot.id}" per ${slot.scope}, but ${provider.name} provides it per ${provider.token.scope}`))
    }
    edge(provider.name, name, kind, `${kind} ${slot.id}`)
    if (kind === 'wraps') return
    for (const wrapper of wraps.get(slot.key) ?? []) edge(wrapper.name, name, 'uses', `needs ${slot.id}, which it wraps`)
  }
  for (const { name, plugin: { requires, optional, decorates, after } } of listed) {
    for (const slot of decorates) ask(name, slot, 'wraps')
    for (const [tokens, kind] of [[requires, 'needs'], [optional, 'uses']] as const) {
      for (const token of Object.values(tokens)) {
        if (!isSlot(token)) for (const { name: other } of offers.get(token.key) ?? []) edge(other, name, 'uses', `reads ${token.id}`)
        else if (!decorates.some(({ key }) => key === token.key)) ask(name, token, kind)
      }
    }
    for (const other of listed) if (after.includes(other.name) || after.includes(other.plugin.name)) edge(other.name, name, 'after', 'by `after`')
  }
  return edges
}

/** List order, with what is needed pulled forward: stable, and each circle is reported once with its full path. */
function sort(listed: readonly Listed[], edges: readonly PlanEdge[], problems: PlanProblem[]): readonly Listed[] {
  const place = new Map(listed.map(({ name }, index) => [name, index]))
  const placeOf = ({ from }: PlanEdge): number => place.get(from) ?? 0
  const before = Map.groupBy(edges.toSorted((a, b) => placeOf(a) - placeOf(b)), ({ to }) => to)
  const order = new Set<Listed>()
  const path: PlanEdge[] = []
  const visit = (item: Listed): void => {
    if (order.has(item)) return
    const start = path.findIndex(({ to }) => to === item.name)
    if (start >= 0) return void problems.push(circleOf(path.slice(start)))
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

function circleOf(path: readonly PlanEdge[]): PlanProblem {
  const names = path.map(({ to }) => to)
  const reasons = path.map(({ to, reason }) => `${to} ${reason}`)
  return problem('CYCLE', names, `plugins wait for each other: ${[...names, ...names.slice(0, 1)].join(' → ')} (${reasons.join('; ')})`,
    'break the circle: look one of these up where it is used, through a registry or a slot of the session')
}

function parseConfig({ name, plugin, config = {} }: Listed, env: Env, problems: PlanProblem[]): { readonly raw: unknown; readonly config: unknown } {
  const refuse = (path: readonly PropertyKey[], message: string): void =>
    void problems.push(problem('BAD_CONFIG', [name], `config of ${name}${path.length === 0 ? '' : `, \`${path.map(String).join('.')}\``}: ${message}`))
  try {
    const raw = (isPlain(config) ? plugin.adjustConfig?.(config, env) : undefined) ?? config
    if (!isPlain(raw)) refuse([], 'must be an object')
    else if (!plugin.config) {
      for (const key of Object.keys(raw)) refuse([key], 'unknown: this plugin takes no configuration')
      return { raw, config: Object.freeze({}) }
    } else {
      const parsed = plugin.config.safeParse(raw)
      if (parsed.success) return { raw, config: deepFreeze(parsed.data) }
      for (const issue of parsed.error.issues) refuse(issue.path, issue.message)
    }
  } catch (cause) {
    refuse([], messageOf(cause))
  }
  return { raw: config, config: undefined }
}
