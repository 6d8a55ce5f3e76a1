/** The table of a comparison, for people. */

import { aligned, median } from '../results.ts'
import { type MeasuredWindow, ratios, type Scenario } from '../windows.ts'

export interface ComparedServer<Name extends string> {
  readonly name: Name
  /** The name with the version. */
  readonly title: string
  readonly persists: string
  /** What the process takes in RAM after the run. */
  readonly bytes: number
}

/**
 * One line for each server, one column for each scenario: the median of the ratios to the first
 * server, and the median of the turns in a second. Void windows are listed below.
 */
export function comparisonTable<Name extends string>(
  list: readonly Scenario<Name>[],
  servers: readonly ComparedServer<Name>[],
  windows: readonly MeasuredWindow<Name>[],
): string {
  const [floor] = servers
  const measurements = ratios(list, windows)
  const cell = (scenario: string, name: Name): string => {
    const all = windows.filter((one) => one.scenario === scenario && one.adapter === name)
    const clean = all.filter(({ failed }) => failed === 0)
    const values = measurements.find(({ id }) => id === `${scenario} ${name}`)?.values ?? []
    const ratio = name === floor?.name ? 1 : median(values)
    if (clean.length === 0) return 'void'
    const shown = Number.isNaN(ratio) ? '–' : `${Number(ratio.toPrecision(3))}×`
    const turns = `${median(clean.map(({ turnsPerSecond }) => turnsPerSecond)).toFixed(0)}/s`
    const voids = all.length - clean.length
    return `${shown}  ${turns}${voids === 0 ? '' : `  (${voids} of ${all.length} void)`}`
  }

  const head = ['server', 'persists', ...list.map(({ name }) => name), 'memory']
  const lines = servers.map(({ name, title, persists, bytes }) => [
    title,
    persists,
    ...list.map((scenario) => cell(scenario.name, name)),
    `${Math.round(bytes / 2 ** 20)} MB`,
  ])
  const voids = windows
    .filter(({ failed }) => failed > 0)
    .map(
      ({ scenario, adapter, repetition, failed, firstProblem }) =>
        `Void: ${adapter}, ${scenario}, repetition ${repetition}: ${failed} turns failed, the first with ${firstProblem}`,
    )
  const legend = `Each cell: processor time of the server for a turn as a multiple of ${floor?.title ?? 'the first'}, and turns in a second; medians.`
  return [aligned([head, ...lines]), '', legend, ...voids].join('\n')
}
