import type { Inspector, KernelFacts } from '@amodal/kernel'
import { listHooks } from '../hooks/catalog.ts'
import { redactConfig } from '../redact.ts'

/** What a kernel is made of and how it fares: plain JSON, safe to show. */
export type Inspection = ReturnType<typeof inspectionOf>

/** `instead`: the plugin whose entry it overrides. */
interface InspectedEntry {
  readonly key: string
  readonly plugin: string
  readonly instead?: string
}

/**
 * Makes plain JSON of what a kernel is made of, for people and tools. Secrets and values from the
 * environment are masked.
 *
 * @param kernel a kernel, or the `Inspector` that a plugin requires
 * @example
 * const { plugins } = inspectionOf(kernel)
 * console.log(plugins.map(({ name, why }) => `${name}: ${why}`).join('\n'))
 */
export function inspectionOf(kernel: Inspector) {
  const { generation, runner, services, errors, changes, env } = kernel.facts()
  const { plan, instances } = generation
  return {
    generation: generation.id,
    runner,
    held: generation.held,
    plugins: instances.map(
      ({ name, state, setupMs, planned: { plugin, options, config } }, order) => ({
        name,
        ...(name !== plugin.name && { plugin: plugin.name }),
        version: plugin.version,
        ...(options.source !== undefined && { source: options.source }),
        order,
        why: plan.why(name),
        state,
        reload: plugin.reload,
        setupMs: round(setupMs),
        trusted: options.trusted === true,
        optional: options.optional === true,
        config: redactConfig(config, env),
      }),
    ),
    slots: [
      ...services.map(([slot]) => ({
        id: slot.id,
        scope: slot.scope,
        provider: 'kernel',
        decorators: [],
        isCreated: true,
      })),
      ...instances.flatMap(({ name, provisions }) =>
        provisions.map(({ slot, isCreated }) => ({
          id: slot.id,
          scope: slot.scope,
          provider: name,
          decorators: plan.decorators.get(slot.id) ?? [],
          ...(slot.scope === 'kernel' && { isCreated }),
        })),
      ),
    ],
    registries: registriesOf(generation),
    hooks: allHooks(generation).map(({ name, spec, taps }) => ({
      name,
      kind: spec.kind,
      onError: spec.policy.onError,
      ...(spec.policy.timeoutMs !== undefined && { timeoutMs: spec.policy.timeoutMs }),
      taps: taps.map(({ plugin, stage, stats }) => ({
        plugin,
        stage,
        ...stats,
        ms: round(stats.ms),
      })),
    })),
    edges: plan.edges,
    warnings: plan.warnings,
    errors: [...errors],
    changes: [...changes],
  }
}

function registriesOf({ registries }: KernelFacts['generation']): readonly {
  readonly id: string
  readonly entries: readonly InspectedEntry[]
}[] {
  return [...registries.values()]
    .filter(({ owners }) => owners.size > 0)
    .map(({ id, owners }) => ({
      id,
      entries: [...owners].map(([key, { plugin, instead }]) => ({
        key,
        plugin,
        ...(instead !== undefined && { instead }),
      })),
    }))
}

/** Those of the catalogue, in its order, and those that plugins publish. */
function allHooks({ hookSet }: KernelFacts['generation']) {
  return [...new Set([...listHooks().map((hook) => hookSet.of(hook)), ...hookSet.all.values()])]
}

const round = (ms: number): number => Math.round(ms * 1_000) / 1_000
