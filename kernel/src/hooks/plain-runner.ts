import type { HookRunner, Run } from './runner.ts'
import type { HookKind } from './spec.ts'

type Runs = (taps: readonly { readonly tap: Run }[]) => Run

const each = (keepsValue: boolean): Runs => (taps) => (first, rest) => {
  let value = first
  for (const { tap } of taps) {
    const returned = tap(value, rest)
    if (keepsValue && returned !== undefined) value = returned
  }
  return value
}

const eachAwaited = (after: 'ignore' | 'stop' | 'keep'): Runs => (taps) => async (first, rest) => {
  let value = after === 'keep' ? first : undefined
  for (const { tap } of taps) {
    const returned = await tap(after === 'keep' ? value : first, rest)
    if (returned === undefined || after === 'ignore') continue
    value = returned
    if (after === 'stop') break
  }
  return value
}

const together: Runs = (taps) => async (first, rest) => { await Promise.all(taps.map(({ tap }) => tap(first, rest))) }

const RUNS: Readonly<Record<HookKind, Runs>> = {
  observe: each(false), syncWaterfall: each(true), collect: each(true),
  series: eachAwaited('ignore'), bail: eachAwaited('stop'), waterfall: eachAwaited('keep'), parallel: together,
}

/** The same without generated code, for places that refuse `new Function`: strict CSP, edge workers. */
export const plainRunner: HookRunner = {
  name: 'plain',
  line(kind) {
    const taps: { readonly stage: number; readonly tap: Run }[] = []
    return {
      add(_plugin, stage, tap) {
        taps.push({ stage, tap })
        taps.sort((a, b) => a.stage - b.stage)
      },
      run: RUNS[kind](taps),
    }
  },
}
