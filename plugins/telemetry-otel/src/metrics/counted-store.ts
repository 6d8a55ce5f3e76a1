import type { SessionStore } from '@amodal/sdk'
import type { Metering } from './metering.ts'

/** Counts of the session store that no hook reports. */
export interface StoreCounts {
  /** Messages that waited in the sessions of this process when their leases were last renewed. */
  waiting: number
}

/** Counts takeovers of lost sessions, runs that are set aside, and messages that wait. */
export function countedStore(
  store: SessionStore,
  metering: Metering,
  counts: StoreCounts,
): SessionStore {
  const counted: Pick<SessionStore, 'takeover' | 'setAside' | 'renew'> = {
    async takeover(owner, how, signal) {
      const found = await store.takeover(owner, how, signal)
      const lost = found.ok ? found.value.sessions.filter(({ suspect }) => suspect).length : 0
      if (lost > 0) metering.instruments?.takeovers.add(lost)
      return found
    },
    async setAside(held, why, signal) {
      const done = await store.setAside(held, why, signal)
      if (done.ok && done.value) metering.instruments?.runsSetAside.add(1)
      return done
    },
    async renew(owner, held, leaseMs, signal) {
      const renewed = await store.renew(owner, held, leaseMs, signal)
      if (renewed.ok && leaseMs > 0)
        counts.waiting = renewed.value.reduce((sum, { messages }) => sum + messages, 0)
      return renewed
    },
  }
  const bound = new Map<PropertyKey, unknown>(Object.entries(counted))
  return new Proxy(store, {
    // a store has private fields, so its methods must be called on itself
    get(target, key) {
      const known = bound.get(key)
      if (known !== undefined) return known
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value !== 'function') return value
      const method: unknown = value.bind(target)
      bound.set(key, method)
      return method
    },
  })
}
