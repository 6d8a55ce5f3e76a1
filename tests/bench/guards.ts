/**
 * What the guards cost: turns of the product as it is, against the same product without any guard,
 * both with a connection whose answers are restricted. Four turns: text, a tool of the agent's own
 * that reads, a `request`, and a text of 2,000 pieces.
 *
 *     node tests/bench/guards.ts
 */

import { withBench } from './adapters.ts'
import { keepResults, type Measurement, report } from './results.ts'
import { say } from './vocabulary.ts'
import { measureWindows, type Progress, ratios, type Scenario } from './windows.ts'

/**
 * Left out of a short run: the tool of the agent's own, which lies between the others, and the long
 * text.
 */
const LONG_RUN_ONLY: ReadonlySet<string> = new Set(['guards-tool', 'guards-long'])

/** In a short run the windows are shorter. */
export async function measureGuards(
  { smoke = false }: { readonly smoke?: boolean } = {},
  progress: Progress = () => undefined,
): Promise<readonly Measurement[]> {
  const list = smoke
    ? guardScenarios(1.5, 4).filter(({ name }) => !LONG_RUN_ONLY.has(name))
    : guardScenarios(4, 10)
  const windows = await withBench(async (bench) =>
    measureWindows(bench, list, smoke ? 3 : 5, progress, { api: await bench.startApi() }),
  )
  const measurements = ratios(list, windows)
  await keepResults('guards', measurements, windows)
  return measurements
}

export function guardScenarios(seconds: number, warm = 1): readonly Scenario[] {
  const turn = (name: string, message: string): Scenario => ({
    name,
    message,
    clients: 16,
    seconds,
    warm,
    adapters: ['amodal-open', 'amodal-pg'],
    goals: { 'amodal-pg': name },
  })
  return [
    turn('guards-text', say.text(20)),
    turn('guards-tool', say.tool()),
    turn('guards-request', say.request()),
    turn('guards-long', say.text(2_000)),
  ]
}

if (import.meta.main) await report(() => measureGuards())
