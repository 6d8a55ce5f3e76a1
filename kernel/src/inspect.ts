import type { Generation, Surroundings } from './generation.ts'
import { STAGES } from './hooks/stage.ts'
import { redact } from './redact.ts'
import type { Env } from './plugin.ts'

/** What a kernel is made of and how it fares: plain JSON, safe to show. Secrets and values from the environment are masked. */
export type Inspection = ReturnType<typeof inspect>

/** `instead`: the plugin whose entry it overrides. */
interface InspectedEntry { readonly key: string; readonly plugin: string; readonly instead?: string }

export function inspect(generation: Generation, { runner, services, diagnostics }: Surroundings, env: Env) {
  const { plan } = generation
  return {
    generation: generation.id,
    runner: runner.name,
    held: generation.held,
    plugins: generation.instances.map(({ name, state, setupMs, planned: { plugin, options, config } }, order) => ({
      name,
      ...(name !== plugin.name && { plugin: plugin.name }),
      version: plugin.version,
      ...(options.source !== undefined && { source: options.source }),
      order, why: plan.why(name), state, reload: plugin.reload, setupMs: round(setupMs),
      trusted: options.trusted === true, optional: options.optional === true,
      config: redact(config, env),
    })),
    slots: [
      ...services.map(([slot]) => ({ id: slot.id, scope: slot.scope, provider: 'kernel', decorators: [], made: true })),
      ...generation.instances.flatMap(({ name, provisions }) => provisions.map(({ slot, made }) => ({
        id: slot.id, scope: slot.scope, provider: name, decorators: plan.decorators.get(slot.id) ?? [],
        ...(slot.scope === 'kernel' && { made: made !== undefined }),
      }))),
    ],
    registries: registriesOf(generation),
    hooks: [...generation.hookSet.all.values()].map(({ name, spec, taps }) => ({
      name, kind: spec.kind, onError: spec.policy.onError,
      ...(spec.policy.timeoutMs !== undefined && { timeoutMs: spec.policy.timeoutMs }),
      taps: taps.toSorted((a, b) => STAGES[a.stage] - STAGES[b.stage])
        .map(({ plugin, stage, stats }) => ({ plugin, stage, ...stats, ms: round(stats.ms) })),
    })),
    edges: plan.edges,
    warnings: plan.warnings,
    errors: [...diagnostics.errors],
    changes: [...diagnostics.changes],
  }
}

function registriesOf(generation: Generation): readonly { readonly id: string; readonly entries: readonly InspectedEntry[] }[] {
  const byId = new Map<string, InspectedEntry[]>()
  for (const { id, key, plugin, instead } of generation.registries.list()) {
    byId.set(id, [...byId.get(id) ?? [], { key, plugin, ...(instead !== undefined && { instead }) }])
  }
  return [...byId].map(([id, entries]) => ({ id, entries }))
}

const round = (ms: number): number => Math.round(ms * 1_000) / 1_000
