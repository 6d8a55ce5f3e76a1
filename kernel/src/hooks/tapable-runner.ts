import { AsyncParallelHook, AsyncSeriesBailHook, AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncHook, SyncWaterfallHook } from 'tapable'
import type { HookRunner, Line, Run } from './runner.ts'
import type { HookKind } from './spec.ts'

const ARGUMENTS: ['first', 'rest'] = ['first', 'rest']
type Call = [unknown, readonly unknown[]]
type PromiseHook = Pick<AsyncSeriesWaterfallHook<Call>, 'tapPromise' | 'promise'>

const sync = (hook: SyncHook<Call, unknown> | SyncWaterfallHook<Call>): Line => ({
  add: (name, stage, tap) => hook.tap({ name, stage }, tap),
  run: (first, rest) => hook.call(first, rest),
})

/** Every tap is registered as a promise, so that none can slip through as a value. */
const async = (hook: PromiseHook): Line => ({
  add: (name, stage, tap) => hook.tapPromise({ name, stage }, tap as (...args: Parameters<Run>) => Promise<unknown>),
  run: (first, rest) => hook.promise(first, rest),
})

const LINES: Readonly<Record<HookKind, () => Line>> = {
  observe: () => sync(new SyncHook<Call, unknown>(ARGUMENTS)),
  syncWaterfall: () => sync(new SyncWaterfallHook<Call>(ARGUMENTS)),
  collect: () => sync(new SyncWaterfallHook<Call>(ARGUMENTS)),
  series: () => async(new AsyncSeriesHook<Call>(ARGUMENTS)),
  parallel: () => async(new AsyncParallelHook<Call>(ARGUMENTS)),
  bail: () => async(new AsyncSeriesBailHook<Call, unknown>(ARGUMENTS)),
  waterfall: () => async(new AsyncSeriesWaterfallHook<Call>(ARGUMENTS)),
}

/** Taps run by tapable's generated code. */
export const tapableRunner: HookRunner = { name: 'tapable', line: (kind) => LINES[kind]() }
