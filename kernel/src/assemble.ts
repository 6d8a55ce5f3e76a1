import { blame } from './blame.ts'
import { Generation, type Surroundings } from './generation.ts'
import { Instance } from './instance.ts'
import { sameValue } from './plain.ts'
import type { KernelError, Plan, PlannedPlugin, PlanProblem } from './plan.ts'
import { err, ok, trySync, type Result } from './result.ts'

/**
 * Wires a plan beside `old`: sets up what is new, carries over what is not, boots (unless it is a
 * dry run), and undoes all of it on any failure. Plugins that are carried over are not touched, so
 * `old` serves on meanwhile.
 */
export async function assemble(
  old: Generation | undefined,
  plan: Plan,
  around: Surroundings,
  dry = false,
): Promise<Result<Generation, KernelError>> {
  const generation = new Generation((old?.id ?? 0) + 1, plan, around)
  const carried = carryOver(old, plan)
  const fresh: Instance[] = []
  const fail = async (error: KernelError): Promise<Result<never, KernelError>> => {
    for (const instance of fresh.toReversed()) (await instance.teardown()).forEach(around.record)
    if (error.kind === 'plugin') around.record(error.error)
    return err(error)
  }

  const problems: PlanProblem[] = []
  for (const planned of plan.plugins) {
    const instance = carried.get(planned.name) ?? new Instance(planned, generation)
    if (instance.state === 'new') {
      fresh.push(instance)
      const done = instance.setup()
      if (!done.ok) return fail({ kind: 'plugin', error: done.error })
    }
    problems.push(...generation.adopt(instance))
  }
  problems.push(...generation.missingGuards())
  if (problems.length > 0) return fail({ kind: 'plan', problems })

  const completed = trySync(
    () => generation.complete(),
    (cause) => blame('kernel', 'provide', 'log', cause),
  )
  if (!completed.ok) return fail({ kind: 'plugin', error: completed.error })
  for (const instance of dry ? [] : fresh) {
    const up = await instance.boot()
    if (!up.ok) return fail({ kind: 'plugin', error: up.error })
  }
  return ok(generation)
}

/**
 * Plugins of `old` that `next` can go on using: same definition, same config, and all they need
 * likewise.
 */
export function carryOver(old: Generation | undefined, next: Plan): ReadonlyMap<string, Instance> {
  const running = new Map(
    old?.instances
      .filter(({ state }) => state === 'running')
      .map((instance) => [instance.name, instance]),
  )
  const kept = new Map<string, Instance>()
  for (const planned of next.plugins) {
    const instance = running.get(planned.name)
    const needed = [...planned.needs.values()].flat()
    if (
      instance &&
      unchanged(instance.planned, planned) &&
      needed.every((name) => name === 'kernel' || kept.has(name))
    )
      kept.set(planned.name, instance)
  }
  return kept
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

/** The plugins that cannot run without these, and these. */
export function withDependants(plan: Plan, names: Iterable<string>): ReadonlySet<string> {
  const gone = new Set(names)
  for (const { name } of plan.plugins) {
    if (
      plan.edges.some(
        ({ from, to, kind }) =>
          to === name && (kind === 'needs' || kind === 'wraps') && gone.has(from),
      )
    )
      gone.add(name)
  }
  return gone
}
