import type { LastRead } from '@amodal/sdk'
import type { Memory, MemoryStore } from './tokens.ts'

/** The same store, asked for its list only where that is not known. */
export function keptMemory(
  inner: MemoryStore,
  kept: LastRead<readonly Memory[]>,
  owner: string,
): MemoryStore {
  const changing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } finally {
      kept.changed(owner) // also where it failed: nobody knows then what became of it
    }
  }
  return {
    list: (signal) => kept.get(owner, () => inner.list(signal)),
    add: (draft, signal, lease) => changing(inner.add(draft, signal, lease)),
    remove: (id, signal, lease) => changing(inner.remove(id, signal, lease)),
    clear: (signal) => changing(inner.clear(signal)),
  }
}
