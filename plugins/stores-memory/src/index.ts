import { definePlugin, hooksOf, SessionFacts, StoreBackend } from '@amodal/sdk'
import { z } from 'zod'
import { MemoryStores } from './memory-stores.ts'

/** Documents that one round removes at most. */
const ROUND = 1_000

/** Store documents in this process's memory, for embedding and tests. */
export const storesMemory = definePlugin({
  name: 'stores-memory',
  version: '0.1.0',
  provides: [StoreBackend],
  config: z.strictObject({
    keepStaleHours: z
      .number()
      .min(0)
      .nullable()
      .default(24)
      .describe('hours for which a stale document is kept before it is removed; `null`: for ever'),
    purgeSeconds: z
      .number()
      .min(0.01)
      .max(86_400)
      .default(60)
      .describe('seconds between two looks for such documents'),
  }),
  setup({ config: { keepStaleHours, purgeSeconds }, provide, onBoot, onDispose, generation }) {
    const all = new MemoryStores()
    onDispose(() => all.clear())
    provide(StoreBackend, (scope) => all.of(scope.get(SessionFacts).tenant))
    onBoot(() => {
      if (keepStaleHours === null) return undefined
      const timer = setInterval(() => {
        const { runtime } = hooksOf(generation()).event
        for (const { tenant, store, count } of all.purge(keepStaleHours * 3_600_000, ROUND))
          runtime.call(
            { type: 'store_updated', storeName: store, operation: 'delete', count },
            { tenant },
          )
      }, purgeSeconds * 1_000)
      timer.unref()
      return () => clearInterval(timer)
    })
  },
})

export default storesMemory
