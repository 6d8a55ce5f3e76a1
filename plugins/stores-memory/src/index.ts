import { definePlugin, SessionFacts, StoreBackend } from '@amodal/sdk'
import { z } from 'zod'
import { MemoryStores } from './memory-stores.ts'

/** Store documents in this process's memory, for embedding and tests. */
export const storesMemory = definePlugin({
  name: 'stores-memory',
  version: '1.0.0',
  provides: [StoreBackend],
  config: z.object({}),
  setup({ provide, onDispose }) {
    const all = new MemoryStores()
    onDispose(() => all.clear())
    provide(StoreBackend, (scope) => all.of(scope.get(SessionFacts).tenant))
  },
})

export default storesMemory
