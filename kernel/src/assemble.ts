import { blame } from './blame.ts'
import { WiredGeneration, type Surroundings } from './generation.ts'
import { Instance } from './instance.ts'
import { sameValue } from './plain.ts'
import type { KernelError, Plan, PlannedPlugin, PlanProblem } from './plan.ts'
import { err, ok, trySync, type Result } from './result.ts'

/**
 * Wires a plan next to `old`: sets up new plugins, carries over unchanged ones, boots the new ones,
 * and tears them down on any failure. Carried-over plugins are not touched, so that `old` keeps
 * running meanwhile.
 *
 * @param boots names of the plugins that are booted; default: all
 */
export async function assemble(
  old: WiredGeneration | undefined,
  plan: Plan,
  around: Surroundings,
  boots?: readonly string[],
): Promise<Result<WiredGeneration, KernelError>> {
  const generation = new WiredGeneration((old?.id ?? 0) + 1, plan, around)
  const fresh: Instance[] = []
  const fail = async (error: KernelError): Promise<Result<never, KernelError>> => {
    for (const instance of fresh.toReversed()) (await instance.teardown()).forEach(around.record)
    if (error.kind === 'plugin') around.record(error.error)
    return err(error)
  }

  const wired = wire(generation, carryOver(old, plan), fresh)
  if (!wired.ok) return fail(wired.error)
  for (const instance of fresh) {
    if (boots?.includes(instance.name) === false) continue
    const up = await instance.boot()
    if (!up.ok) return fail({ kind: 'plugin', error: up.error })
  }
  return ok(generation)
}

/** Sets up plugins that are not carried over, adds them to `fresh`, and connects all of them. */
function wire(
  generation: WiredGeneration,
  carried: ReadonlyMap<string, Instance>,
  fresh: Instance[],
): Result<void, KernelError> {
  const problems: PlanProblem[] = []
  for (const planned of generation.plan.plugins) {
    const instance = carried.get(planned.name) ?? new Instance(planned, generation)
    if (instance.state === 'new') {
      fresh.push(instance)
      const done = instance.setup()
      if (!done.ok) return err({ kind: 'plugin', error: done.error })
    }
    problems.push(...generation.adopt(instance))
  }
  problems.push(...generation.missingGuards())
  if (problems.length > 0) return err({ kind: 'plan', problems })
  return trySync(
    () => generation.complete(),
    (cause) => ({ kind: 'plugin', error: blame('kernel', 'provide', 'log', cause) }),
  )
}

/**
 * Plugins of `old` that `next` can reuse: same definition, same config, and the same for all of
 * their dependencies.
 */
export function carryOver(
  old: WiredGeneration | undefined,
  next: Plan,
): ReadonlyMap<string, Instance> {
  const running = new Map(
    old?.instances
      .filter(({ state }) => state === 'running')
      .map((instance) => [instance.name, instance]),
  )
  const carried = new Map<string, Instance>()
  for (const planned of next.plugins) {
    const instance = running.get(planned.name)
    const needed = [...planned.needs.values()].flat()
    if (
      instance &&
      unchanged(instance.planned, planned) &&
      needed.every((name) => name === 'kernel' || carried.has(name))
    )
      carried.set(planned.name, instance)
  }
  return carried
}

function unchanged(old: PlannedPlugin, next: PlannedPlugin): boolean {
  return (
    old.plugin === next.plugin &&
    (sameValue(old.config, next.config) || sameValue(old.raw, next.raw)) &&
    old.options.trusted === next.options.trusted &&
    old.options.optional === next.options.optional &&
    sameValue(Object.fromEntries(old.needs), Object.fromEntries(next.needs))
  )
}

/** These plugins and all that cannot run without them. */
export function withDependants(plan: Plan, names: Iterable<string>): ReadonlySet<string> {
  const dependants = new Set(names)
  for (const { name } of plan.plugins) {
    if (
      plan.edges.some(
        ({ from, to, kind }) =>
          to === name && (kind === 'needs' || kind === 'wraps') && dependants.has(from),
      )
    )
      dependants.add(name)
  }
  return dependants
}
