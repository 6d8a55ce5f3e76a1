import { Inspector } from './inspector.ts'
import type { Listed, PlanEdge, PlanOptions, Report } from './plan.ts'
import { KERNEL_API } from './plugin.ts'
import { Clock } from './time.ts'
import { isSlot, type Slot, type Token } from './token.ts'

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const KERNEL = 'kernel'
/** Every kernel provides these. */
const KERNEL_SLOTS: readonly Slot<unknown>[] = [Clock, Inspector]

/** The provider of a slot, with the scope and the version that it provides. */
interface Provider extends Pick<Slot<unknown>, 'scope' | 'protocol'> {
  readonly name: string
}
type Providers = ReadonlyMap<string, Provider>

/** Checks the definition of each plugin, and returns the provider of each slot. */
export function providersOf(
  listed: readonly Listed[],
  { given = [], pinned = [] }: PlanOptions,
  report: Report,
): Providers {
  const providers = new Map(
    [...KERNEL_SLOTS, ...given].map(({ id, scope, protocol }) => [
      id,
      { name: KERNEL, scope, protocol },
    ]),
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
        `"${name}" is not a valid plugin name`,
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

/** The order of plugins: provider, then decorators, then consumers. */
export function edgesOf(
  listed: readonly Listed[],
  providers: Providers,
  { builtinProviders: known = {} }: PlanOptions,
  report: Report,
): readonly PlanEdge[] {
  const claims = (how: 'provides' | 'decorates') =>
    Map.groupBy(
      listed.flatMap(({ name, plugin }) => plugin[how].map(({ key }) => ({ name, key }))),
      ({ key }) => key,
    )
  const contributors = claims('provides')
  const decorators = claims('decorates')
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
      compare(name, token, provider, report)
      edge(provider.name, name, kind, `${kind} ${id}`)
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

/** A consumer must require a slot with the version and the scope of its provider. */
function compare(name: string, requested: Slot<unknown>, provider: Provider, report: Report): void {
  const { name: from, scope, protocol } = provider
  if (protocol !== requested.protocol)
    report(
      'KERNEL_VERSION',
      [name, from],
      `${name} knows version ${requested.protocol} of "${requested.id}", and ${from} version ${protocol}`,
      `install versions of ${name} and ${from} that were made for each other`,
    )
  if (scope !== requested.scope)
    report(
      'SCOPE_LEAK',
      [name, from],
      `${name} asks for "${requested.id}" per ${requested.scope}, but ${from} provides it per ${scope}`,
    )
}
