import type { LastRead } from '@amodal/sdk'
import type { Memory, MemoryStore } from './tokens.ts'

/** A store with a cached list. */
export function keptMemory(
  inner: MemoryStore,
  kept: LastRead<readonly Memory[]>,
  owner: string,
): MemoryStore {
  const changing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } finally {
      kept.changed(owner) // after a failure too: the write may have been committed
    }
  }
  return {
    list: (signal) => kept.get(owner, () => inner.list(signal)),
    add: (draft, signal, lease) => changing(inner.add(draft, signal, lease)),
    remove: (id, signal, lease) => changing(inner.remove(id, signal, lease)),
    clear: (signal) => changing(inner.clear(signal)),
  }
}
