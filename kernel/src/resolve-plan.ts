import type { z } from 'zod'
import { deepFreeze, isPlain, mergeConfig } from './plain.ts'
import { edgesOf, providersOf } from './plan-edges.ts'
import {
  problem,
  type Listed,
  type Plan,
  type PlanEdge,
  type PlannedPlugin,
  type PlanOptions,
  type PlanProblem,
  type Report,
} from './plan.ts'
import { isPlugin, type Entry, type Env } from './plugin.ts'
import { err, messageOf, ok, type Result } from './result.ts'
import { isSlot, type Token } from './token.ts'

/**
 * Orders a list of plugins, or says everything that is wrong with it. Pure: nothing of a plugin
 * runs but `adjustConfig`.
 *
 * @example
 * const plan = resolvePlan([use(clock), use(memory, { maxEntries: 20 })])
 * if (!plan.ok) throw new Error(explain(plan.error))
 */
export function resolvePlan(
  entries: readonly Entry[],
  options: PlanOptions = {},
): Result<Plan, readonly PlanProblem[]> {
  const problems: PlanProblem[] = []
  const report: Report = (...about) => void problems.push(problem(...about))
  const { listed, unsafe } = applyEntries(entries, report)
  const unpinned = (options.pinned ?? []).filter((pin) => !listed.some(({ name }) => name === pin))
  for (const pin of unpinned)
    if (!unsafe.has(pin))
      report('PINNED_REMOVED', [pin], `${pin} is pinned and missing from the list`)
  reportCollisions(listed, report)
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
  const { fatal, ignored } = sortedOut(problems, listed)
  if (fatal.length > 0) return err(fatal)
  const warnings = [
    ...unpinned.map((pin) => `${pin} is pinned and was taken out with \`unsafe: true\``),
    ...ignored.map(
      ({ message }) => `${message}; it runs, since it is listed with \`ignoreCompat\``,
    ),
  ]
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
function applyEntries(
  entries: readonly Entry[],
  report: Report,
): { readonly listed: readonly Listed[]; readonly unsafe: ReadonlySet<string> } {
  const listed: Listed[] = []
  const unsafe = new Set<string>()
  for (const entry of entries) {
    if (entry.kind !== 'without') {
      put(entry, listed, report)
      continue
    }
    const at = placeOf(entry.name, listed)
    if (at < 0) notListed(entry.name, 'leave out', report)
    else listed.splice(at, 1)
    if (entry.unsafe) unsafe.add(entry.name)
  }
  return { listed, unsafe }
}

/** Behind the others, into its namesake, or in the place of what it replaces. */
function put(entry: Exclude<Entry, { kind: 'without' }>, listed: Listed[], report: Report): void {
  const { plugin, config, options } = entry
  if (!isPlugin(plugin)) {
    const source = options.source === undefined ? '' : ` from ${options.source}`
    return report('NOT_A_PLUGIN', [], `an entry${source} is not a plugin`)
  }
  const item = { name: options.as ?? plugin.name, plugin, config, options }
  const namesake = placeOf(item.name, listed)
  const there = listed[namesake]
  if (entry.kind === 'replace') {
    const at = placeOf(entry.name, listed)
    if (at < 0) notListed(entry.name, 'replace', report)
    else if (there && namesake !== at) twoNamed(item.name, report)
    else listed[at] = item
  } else if (!there) listed.push(item)
  else if (there.plugin !== plugin) twoNamed(item.name, report)
  else
    listed[namesake] = {
      ...item,
      config: mergeConfig(there.config, config),
      options: { ...there.options, ...options },
    }
}

const placeOf = (name: string, listed: readonly Listed[]): number =>
  listed.findIndex((item) => item.name === name)

const notListed = (name: string, verb: string, report: Report): void =>
  report('UNKNOWN_ENTRY', [name], `cannot ${verb} "${name}": it is not in the list`)

const twoNamed = (name: string, report: Report): void =>
  report(
    'DUPLICATE_NAME',
    [name],
    `two different plugins are called "${name}"`,
    'give one of them another name with `as`, or use `replace`',
  )

/** Two plugins may not define the same name, such as the code of an error. */
function reportCollisions(listed: readonly Listed[], report: Report): void {
  const owners = new Map<string, Listed>()
  const claims = listed.flatMap((item) =>
    Object.entries(item.plugin.claims ?? {}).flatMap(([what, names]) =>
      names.map((name) => ({ item, claimed: `${what} "${name}"` })),
    ),
  )
  for (const { item, claimed } of claims) {
    const other = owners.get(claimed) ?? item
    owners.set(claimed, other)
    if (other.plugin !== item.plugin)
      report(
        'DUPLICATE_NAME',
        [item.name, other.name],
        `${item.name} and ${other.name} both define the ${claimed}`,
        'list one of the two only, or have the author of one rename it',
      )
  }
}

/** Mismatches of versions are warnings of a plugin that is listed with `ignoreCompat`. */
function sortedOut(problems: readonly PlanProblem[], listed: readonly Listed[]) {
  const lenient = listed.flatMap(({ name, options }) =>
    options.ignoreCompat === true ? [name] : [],
  )
  const isIgnored = ({ code, plugins }: PlanProblem): boolean =>
    code === 'KERNEL_VERSION' && plugins.some((name) => lenient.includes(name))
  return {
    fatal: problems.filter((one) => !isIgnored(one)),
    ignored: problems.filter(isIgnored),
  }
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

/** The config of a listed plugin: adjusted, checked against the plugin's schema, and frozen. */
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
 * Fields that the schema of the plugin would drop silently, such as a misspelled one. A
 * `z.looseObject` accepts them.
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
