import type { Commit, SessionStore } from '@amodal/sdk'

export interface StoreCall {
  readonly method: keyof SessionStore & string
  readonly args: readonly unknown[]
  /** Counted from 1, over all calls. */
  readonly n: number
}

/** What becomes of a call: itself, or something else in its place. */
type Around = (call: StoreCall, proceed: () => Promise<unknown>) => Promise<unknown>

/** A store between the loop and the real one; everything goes through `around`. */
export function decorateStore(inner: SessionStore, around: Around, exclusive = inner.exclusive): SessionStore {
  let n = 0
  return new Proxy(inner, {
    get(target, key) {
      if (key === 'exclusive') return exclusive
      const method: unknown = Reflect.get(target, key, target)
      if (typeof method !== 'function' || key === 'watch' || typeof key !== 'string') return typeof method === 'function' ? method.bind(target) as unknown : method
      return (...args: readonly unknown[]) => around({ method: key as StoreCall['method'], args, n: ++n }, async () => Reflect.apply(method, target, args) as Promise<unknown>)
    },
  })
}

/** Every call that was made of a store, in order. */
export function recorded(calls: StoreCall[]): (inner: SessionStore) => SessionStore {
  return (inner) => decorateStore(inner, (call, proceed) => { calls.push(call); return proceed() })
}

export const commitsOf = (calls: readonly StoreCall[]): readonly Commit[] => calls.flatMap(({ method, args }) => (method === 'commit' ? [args[0] as Commit] : []))
