import assets from '@amodal/plugin-assets'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import {
  definePlugin,
  failure,
  Kernel,
  SessionStore as Store,
  use,
  type Commit,
  type Entry,
  type SessionStore,
} from '@amodal/sdk'
import { AssetStore } from '@amodal/sdk/loop'
import { onTestFinished } from 'vitest'

export interface StoreCall {
  readonly method: keyof SessionStore
  readonly args: readonly unknown[]
  /** Counted from 1, over all calls. */
  readonly n: number
}

/** What becomes of a call: itself, or something else in its place. */
type Around = (call: StoreCall, proceed: () => Promise<unknown>) => Promise<unknown>

/** A store between the loop and the real one; everything goes through `around`. */
export function decorateStore(
  inner: SessionStore,
  around: Around,
  exclusive = inner.exclusive,
): SessionStore {
  let n = 0
  return new Proxy(inner, {
    get(target, key) {
      if (key === 'exclusive') return exclusive
      const method: unknown = Reflect.get(target, key, target)
      if (typeof method !== 'function' || key === 'watch' || typeof key !== 'string')
        return typeof method === 'function' ? (method.bind(target) as unknown) : method
      return (...args: readonly unknown[]) =>
        around(
          { method: key as StoreCall['method'], args, n: ++n },
          async () => Reflect.apply(method, target, args) as Promise<unknown>,
        )
    },
  })
}

/** Every call that was made of a store, in order. */
export function recorded(calls: StoreCall[]): (inner: SessionStore) => SessionStore {
  return (inner) =>
    decorateStore(inner, (call, proceed) => {
      calls.push(call)
      return proceed()
    })
}

export const commitsOf = (calls: readonly StoreCall[]): readonly Commit[] =>
  calls.flatMap(({ method, args }) => (method === 'commit' ? [args[0] as Commit] : []))

/** What the store says when its connection broke: nothing is known about the write. */
export const connectionBroke = {
  ok: false,
  error: failure('STORE_FAILED', 'the connection broke', { details: { connection: true } }),
} as const

/** What the store says when it refuses the data itself. */
export const dataRefused = {
  ok: false,
  error: failure('STORE_FAILED', 'value too long', { details: { sqlstate: '22001' } }),
} as const

/** Keeps files in a memory that several agents share. */
export async function sharedFiles(): Promise<Entry> {
  const kernel = await Kernel.create([use(assets)])
  if (!kernel.ok) throw new Error('no memory')
  onTestFinished(async () => {
    await kernel.value.close()
  })
  const files = kernel.value.scope.get(AssetStore)
  const provider = definePlugin({
    name: 'shared-files',
    version: '1.0.0',
    provides: [AssetStore],
    setup({ provide }) {
      provide(AssetStore, () => files)
    },
  })
  return use(provider)
}

/** A memory that several agents share, as several servers share a database. */
export async function sharedStore(): Promise<SessionStore> {
  const kernel = await Kernel.create([use(sessionsMemory)])
  if (!kernel.ok) throw new Error('no memory')
  onTestFinished(async () => {
    await kernel.value.close()
  })
  return kernel.value.scope.get(Store)
}
