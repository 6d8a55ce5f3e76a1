import { CODES, type Code } from './errors.ts'
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

export function problem(code: Code, plugins: readonly string[], message: string, fix: string = CODES[code]): PlanProblem {
  return { code, plugins, message, fix }
}

/** A plugin in its place. */
export interface PlannedPlugin {
  /** The instance's name: `as`, or the name of the plugin. */
  readonly name: string
  readonly plugin: Plugin
  /** Parsed and frozen. */
  readonly config: unknown
  /** Before parsing, after `adjustConfig`. */
  readonly raw: unknown
  readonly options: UseOptions
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
  readonly pinned: readonly string[]
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

interface Listed { readonly name: string; readonly plugin: Plugin; readonly config: unknown; readonly options: UseOptions }

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const KERNEL = 'kernel'

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
  checkEach(listed, problems)
  const warnings = checkPins(listed, unsafe, options.pinned ?? [], problems)
  const links = link(listed, options, problems)
  const order = sort(listed, links.edges, problems)
  const configs = new Map(listed.map((item) => [item.name, parseConfig(item, options.env ?? {}, problems)]))
  if (problems.length > 0) return err(problems)

  const decorators = new Map([...links.decorators].map(([id, names]) => [id, order.filter(({ name }) => names.includes(name)).map(({ name }) => name)]))
  const plugins = order.map((item) => Object.freeze({
    name: item.name, plugin: item.plugin, options: item.options,
    config: configs.get(item.name)?.config,
    raw: configs.get(item.name)?.raw,
    needs: new Map(slotsOf(item.plugin).map(({ id }) => [id, suppliers(links.providers.get(id), decorators.get(id)).filter((name) => name !== item.name)])),
  }))
  return ok(Object.freeze({
    plugins, edges: links.edges, providers: links.providers, decorators,
    pinned: options.pinned ?? [], mustTap: waive(options.mustTap ?? {}, unsafe), warnings,
    why(name) {
      const reasons = links.edges.filter((edge) => edge.to === name).map((edge) => `${edge.from} (${edge.reason})`)
      return reasons.length === 0 ? 'in list order' : `after ${[...new Set(reasons)].join(', ')}`
    },
  } satisfies Plan))
}

/** Later entries win: merge, replace in place, take out. */
function fold(entries: readonly Entry[], problems: PlanProblem[]): { listed: readonly Listed[]; unsafe: ReadonlySet<string> } {
  const listed: Listed[] = []
  const unsafe = new Set<string>()
  const find = (name: string): number => listed.findIndex((item) => item.name === name)
  for (const entry of entries) {
    if (entry.kind === 'without') {
      const at = find(entry.name)
      if (at < 0) problems.push(problem('UNKNOWN_ENTRY', [entry.name], `cannot leave out "${entry.name}": it is not in the list`))
      else listed.splice(at, 1)
      if (entry.unsafe) unsafe.add(entry.name)
      continue
    }
    if (!isPlugin(entry.plugin)) {
      problems.push(problem('NOT_A_PLUGIN', [], `an entry${entry.options.source === undefined ? '' : ` from ${entry.options.source}`} is no plugin`))
      continue
    }
    const name = entry.options.as ?? entry.plugin.name
    const item: Listed = { name, plugin: entry.plugin, config: entry.config, options: entry.options }
    const at = find(entry.kind === 'replace' ? entry.name : name)
    const same = listed[at]
    if (entry.kind === 'replace') {
      if (at < 0) problems.push(problem('UNKNOWN_ENTRY', [entry.name], `cannot replace "${entry.name}": it is not in the list`))
      else if (name !== entry.name && find(name) >= 0) problems.push(duplicate(name))
      else listed[at] = item
    } else if (!same) listed.push(item)
    else if (same.plugin !== entry.plugin) problems.push(duplicate(name))
    else listed[at] = { ...item, config: mergeConfig(same.config, item.config), options: { ...same.options, ...item.options } }
  }
  return { listed, unsafe }
}

const duplicate = (name: string): PlanProblem =>
  problem('DUPLICATE_NAME', [name], `two different plugins are called "${name}"`, 'give one of them another name with `as`, or use `replace`')

function checkEach(listed: readonly Listed[], problems: PlanProblem[]): void {
  for (const { name, plugin } of listed) {
    if (!NAME.test(name)) problems.push(problem('NOT_A_PLUGIN', [name], `"${name}" is no name for a plugin`, 'use lower-case words joined by `-`'))
    if (plugin.kernel !== KERNEL_API) problems.push(problem('KERNEL_VERSION', [name], `${name} ${plugin.version} is made for kernel ${plugin.kernel}; this one is ${KERNEL_API}`))
  }
}

function checkPins(listed: readonly Listed[], unsafe: ReadonlySet<string>, pinned: readonly string[], problems: PlanProblem[]): readonly string[] {
  const warnings: string[] = []
  for (const pin of pinned) {
    const found = listed.find(({ name }) => name === pin)
    if (found?.options.optional === true) problems.push(problem('OPTIONAL_GUARD', [pin], `${pin} is pinned and may not be optional`))
    if (found) continue
    if (unsafe.has(pin)) warnings.push(`${pin} is pinned and was taken out with \`unsafe: true\``)
    else problems.push(problem('PINNED_REMOVED', [pin], `${pin} is pinned and missing from the list`))
  }
  return warnings
}

/** What was taken out with `unsafe: true` need not tap anything either. */
function waive(mustTap: MustTap, unsafe: ReadonlySet<string>): MustTap {
  return Object.fromEntries(Object.entries(mustTap).map(([hook, names]) => [hook, names.filter((name) => !unsafe.has(name))]))
}

const suppliers = (provider: string | undefined, decorators: readonly string[] = []): readonly string[] => (provider === undefined ? decorators : [provider, ...decorators])

const isSlot = (token: Token): token is Slot<unknown> => token.kind === 'slot'
const slotsOf = (plugin: Plugin): readonly Slot<unknown>[] => [...Object.values(plugin.requires), ...Object.values(plugin.optional)].filter(isSlot)

interface Links {
  readonly edges: readonly PlanEdge[]
  readonly providers: ReadonlyMap<string, string>
  readonly decorators: ReadonlyMap<string, readonly string[]>
}

/** Who stands behind whom: provider, then decorators, then consumers. */
function link(listed: readonly Listed[], options: PlanOptions, problems: PlanProblem[]): Links {
  const providers = new Map<string, string>()
  const decorators = new Map<string, string[]>()
  const contributors = new Map<string, string[]>()
  const declared = new Map<string, Slot<unknown>>()
  const put = (map: Map<string, string[]>, id: string, name: string): void => { map.set(id, [...map.get(id) ?? [], name]) }

  const provide = (slot: Slot<unknown>, name: string): void => {
    const other = providers.get(slot.id)
    if (other !== undefined) return void problems.push(problem('SLOT_CONFLICT', [name, other], `${name} and ${other} both provide "${slot.id}"`))
    providers.set(slot.id, name)
    declared.set(slot.id, slot)
  }
  for (const slot of options.given ?? []) provide(slot, KERNEL)
  for (const { name, plugin } of listed) {
    for (const token of plugin.provides) {
      if (isSlot(token)) provide(token, name)
      else put(contributors, token.id, name)
    }
    for (const slot of plugin.decorates) put(decorators, slot.id, name)
  }

  const edges: PlanEdge[] = []
  const edge = (from: string, to: string, kind: PlanEdge['kind'], reason: string): void => {
    if (from !== to && from !== KERNEL) edges.push({ from, to, kind, reason })
  }
  const need = (name: string, slot: Slot<unknown>, kind: 'needs' | 'wraps', must: boolean): void => {
    const provider = providers.get(slot.id)
    if (provider === undefined) {
      if (must) problems.push(missing(name, slot, kind, options.builtinProviders?.[slot.id] ?? []))
      return
    }
    const scope = declared.get(slot.id)?.scope
    if (scope !== slot.scope) problems.push(problem('SCOPE_LEAK', [name, provider], `${name} asks for "${slot.id}" per ${slot.scope}, but ${provider} provides it per ${scope}`))
    edge(provider, name, must ? kind : 'uses', `${must ? kind : 'uses'} ${slot.id}`)
    if (kind === 'needs') for (const other of decorators.get(slot.id) ?? []) edge(other, name, 'uses', `needs ${slot.id}, which it wraps`)
  }
  for (const { name, plugin } of listed) {
    const wrapped = new Set(plugin.decorates.map(({ id }) => id))
    for (const slot of plugin.decorates) need(name, slot, 'wraps', true)
    for (const [tokens, must] of [[plugin.requires, true], [plugin.optional, false]] as const) {
      for (const token of Object.values(tokens)) {
        if (!isSlot(token)) for (const other of contributors.get(token.id) ?? []) edge(other, name, 'uses', `reads ${token.id}`)
        else if (!wrapped.has(token.id)) need(name, token, 'needs', must)
      }
    }
    for (const wanted of plugin.after) for (const other of listed) if (other.name === wanted || other.plugin.name === wanted) edge(other.name, name, 'after', 'by `after`')
  }
  return { edges, providers, decorators }
}

function missing(name: string, slot: Slot<unknown>, kind: 'needs' | 'wraps', known: readonly string[]): PlanProblem {
  return problem('MISSING_PROVIDER', [name], `${name} ${kind} "${slot.id}", and no plugin in the list provides it`, known.length === 0 ? CODES.MISSING_PROVIDER : `add ${known.join(' or ')}`)
}

/** List order, with what is needed pulled forward: stable, and each circle is reported once with its full path. */
function sort(listed: readonly Listed[], edges: readonly PlanEdge[], problems: PlanProblem[]): readonly Listed[] {
  const byName = new Map(listed.map((item) => [item.name, item]))
  const position = new Map(listed.map((item, index) => [item.name, index]))
  const before = new Map<string, PlanEdge[]>()
  for (const edge of edges) before.set(edge.to, [...before.get(edge.to) ?? [], edge])
  for (const list of before.values()) list.sort((a, b) => (position.get(a.from) ?? 0) - (position.get(b.from) ?? 0))

  const order: Listed[] = []
  const done = new Set<string>()
  const path: PlanEdge[] = []
  const visit = (item: Listed): void => {
    if (done.has(item.name)) return
    const start = path.findIndex((edge) => edge.to === item.name)
    if (start >= 0) {
      const circle = path.slice(start)
      const text = [item.name, ...circle.map((edge) => edge.from)].join(' → ')
      return void problems.push(problem('CYCLE', circle.map((edge) => edge.to), `plugins wait for each other: ${text} (${circle.map((edge) => `${edge.to} ${edge.reason}`).join('; ')})`,
        'break the circle: look one of these up where it is used, through a registry or a slot of the session'))
    }
    for (const edge of before.get(item.name) ?? []) {
      const needed = byName.get(edge.from)
      if (!needed) continue
      path.push(edge)
      visit(needed)
      path.pop()
    }
    if (done.has(item.name)) return
    done.add(item.name)
    order.push(item)
  }
  for (const item of listed) visit(item)
  return order
}

function parseConfig({ name, plugin, config }: Listed, env: Env, problems: PlanProblem[]): { readonly raw: unknown; readonly config: unknown } | undefined {
  const bad = (path: readonly PropertyKey[], message: string): void =>
    void problems.push(problem('BAD_CONFIG', [name], `config of ${name}${path.length === 0 ? '' : `, \`${path.map(String).join('.')}\``}: ${message}`))
  const raw = config ?? {}
  try {
    const adjusted = (isPlain(raw) ? plugin.adjustConfig?.(raw, env) : undefined) ?? raw
    if (!isPlain(adjusted)) return void bad([], 'must be an object')
    if (!plugin.config) {
      for (const key of Object.keys(adjusted)) bad([key], 'unknown: this plugin takes no configuration')
      return { raw: adjusted, config: Object.freeze({}) }
    }
    const parsed = plugin.config.safeParse(adjusted)
    if (parsed.success) return { raw: adjusted, config: deepFreeze(parsed.data) }
    for (const issue of parsed.error.issues) bad(issue.path, issue.message)
  } catch (cause) {
    bad([], messageOf(cause))
  }
  return undefined
}
