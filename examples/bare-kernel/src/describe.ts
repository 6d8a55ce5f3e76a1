import type { Inspector } from '@amodal/kernel'

/** What a kernel is made of, a line each: plugins in their order and why, and who is where. */
export function describe(kernel: Inspector): readonly string[] {
  const { plan, registries, hookSet } = kernel.facts().generation
  return [
    ...plan.plugins.map(({ name, plugin }) => `${name} ${plugin.version} ${plan.why(name)}`),
    ...[...plan.providers].map(([slot, plugin]) => `slot ${slot} ← ${plugin}`),
    ...[...registries.values()].flatMap(({ id, owners }) =>
      [...owners].map(([key, { plugin }]) => `registry ${id}: ${key} ← ${plugin}`),
    ),
    ...[...hookSet.all.values()].flatMap(({ name, taps }) =>
      taps.map(({ plugin }) => `hook ${name} ← ${plugin}`),
    ),
  ]
}
