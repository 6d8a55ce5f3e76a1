import {
  bail,
  collect,
  defineHook,
  Inspector,
  kernelHooks,
  observe,
  parallel,
  series,
  syncWaterfall,
  use,
  waterfall,
  type Entry,
  type HookToken,
  type KernelFacts,
  type KernelOptions,
  type Stage,
  type TurnContext,
  type UseOptions,
} from '../src/index.ts'
import { kernelWith, plugin } from './helpers.ts'

export type Wired = KernelFacts['generation']

export interface Box {
  readonly trail: readonly string[]
}

export const Observed = defineHook('test.observed', observe<[word: string]>({ onError: 'skip' }))
export const Strict = defineHook('test.strict', observe<[word: string]>({ onError: 'fail' }))
export const Row = defineHook(
  'test.row',
  series<[log: string[]]>({ onError: 'fail', timeoutMs: 100 }),
)
export const Crowd = defineHook(
  'test.crowd',
  parallel<[log: string[]]>({ onError: 'skip', timeoutMs: 100 }),
)
export const StrictCrowd = defineHook(
  'test.strict-crowd',
  parallel<[log: string[]]>({ onError: 'fail', timeoutMs: 100 }),
)
export const First = defineHook(
  'test.first',
  bail<[word: string], Box>({ onError: 'fail', timeoutMs: 100 }),
)
export const Flow = defineHook(
  'test.flow',
  waterfall<[box: Box, word: string]>({
    onError: 'fail',
    timeoutMs: 100,
    check: (box) => (Array.isArray(box.trail) ? undefined : 'returned a box without a trail'),
  }),
)
export const SoftFlow = defineHook(
  'test.soft-flow',
  waterfall<[box: Box, word: string]>({ onError: 'skip', timeoutMs: 100 }),
)
export const SyncFlow = defineHook('test.sync-flow', syncWaterfall<[box: Box]>({ onError: 'fail' }))
export const All = defineHook('test.all', collect<[word: string], Box>({ onError: 'fail' }))
export const Failed = defineHook('kernel.failed', kernelHooks<TurnContext>().kernel.failed)

export const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
export const never = (): Promise<never> => new Promise(() => undefined)
/** A tap that the types refuse: at run time, a plugin may register any value. */
const untyped = (value: unknown): never => value as never

/** Generations whose taps are run by this runner. */
export function generations(runner: NonNullable<KernelOptions['runner']>) {
  const generation = async (...entries: Entry[]): Promise<Wired> =>
    (await kernelWith(entries, { runner })).scope.get(Inspector).facts().generation
  /** One plugin per tap, named a, b, c … in list order. */
  const tapped = async <T extends HookToken>(
    hook: T,
    ...taps: readonly (readonly [fn: unknown, stage?: Stage, options?: UseOptions])[]
  ): Promise<Wired> =>
    generation(
      ...taps.map(([fn, stage, options], index) =>
        use(
          plugin('abcdefgh'.charAt(index), ({ tap }) =>
            tap(hook, untyped(fn), stage ? { stage } : {}),
          ),
          {},
          options,
        ),
      ),
    )
  return { generation, tapped }
}
