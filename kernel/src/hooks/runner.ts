import {
  AsyncParallelHook,
  AsyncSeriesBailHook,
  AsyncSeriesHook,
  AsyncSeriesWaterfallHook,
  SyncHook,
  SyncWaterfallHook,
} from 'tapable'
import type { HookKind } from './spec.ts'

/**
 * A wrapped tap, or all taps of a hook as one. It takes a first argument and the rest, so that no
 * arity has to be known.
 */
export type Run = (first: unknown, rest: readonly unknown[]) => unknown
/** Joins taps in their order. The taps of asynchronous kinds always return promises. */
type Join = (taps: readonly Run[]) => Run

/** How the taps of each kind are run. */
export interface HookRunner {
  readonly name: 'tapable' | 'plain'
  readonly join: Readonly<Record<HookKind, Join>>
}

type Call = [first: unknown, rest: readonly unknown[]]
const ARGUMENTS: ['first', 'rest'] = ['first', 'rest']

const sync =
  (make: () => SyncHook<Call, unknown> | SyncWaterfallHook<Call>): Join =>
  (taps) => {
    const hook = make()
    for (const tap of taps) hook.tap('tap', tap)
    return (first, rest) => hook.call(first, rest)
  }

/** Every tap is registered as a promise, so that none can slip through as a value. */
const async =
  (make: () => Pick<AsyncSeriesWaterfallHook<Call>, 'tapPromise' | 'promise'>): Join =>
  (taps) => {
    const hook = make()
    for (const tap of taps) hook.tapPromise('tap', tap as (...call: Call) => Promise<unknown>)
    return (first, rest) => hook.promise(first, rest)
  }

const tapable: HookRunner = {
  name: 'tapable',
  join: {
    observe: sync(() => new SyncHook(ARGUMENTS)),
    syncWaterfall: sync(() => new SyncWaterfallHook(ARGUMENTS)),
    collect: sync(() => new SyncWaterfallHook(ARGUMENTS)),
    series: async(() => new AsyncSeriesHook(ARGUMENTS)),
    parallel: async(() => new AsyncParallelHook(ARGUMENTS)),
    bail: async(() => new AsyncSeriesBailHook(ARGUMENTS)),
    waterfall: async(() => new AsyncSeriesWaterfallHook(ARGUMENTS)),
  },
}

const inTurn: Join = (taps) => (first, rest) =>
  taps.reduce((value, tap) => tap(value, rest) ?? value, first)
const inTurnAwaited: Join = (taps) => async (first, rest) => {
  let value = first
  for (const tap of taps) value = (await tap(value, rest)) ?? value
  return value
}

/**
 * The same without generated code, for places that refuse `new Function`: strict CSP, edge workers.
 */
const plain: HookRunner = {
  name: 'plain',
  join: {
    observe: inTurn,
    syncWaterfall: inTurn,
    collect: inTurn,
    series: inTurnAwaited,
    parallel: (taps) => (first, rest) => Promise.all(taps.map((tap) => tap(first, rest))),
    bail: (taps) => async (first, rest) => {
      let result: unknown
      for (const tap of taps) result ??= await tap(first, rest)
      return result
    },
    waterfall: inTurnAwaited,
  },
}

/** The requested runner, or the one that this environment allows. */
export function chooseRunner(wanted: HookRunner['name'] | undefined): HookRunner {
  if (wanted !== undefined) return wanted === 'plain' ? plain : tapable
  try {
    new Function('')
    return tapable
  } catch {
    return plain
  }
}
