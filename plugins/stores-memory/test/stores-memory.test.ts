import { pluginContract, storeContract } from '@amodal/sdk/testing'
import { tenantId } from '@amodal/sdk'
import { MemoryStores } from '../src/memory-stores.ts'
import { storesMemory } from '../src/index.ts'

storeContract('stores-memory', {
  make: () => {
    const all = new MemoryStores()
    return Promise.resolve({
      of: (tenant) => all.of(tenantId(tenant)),
      purge: () => Promise.resolve(all.purge(0, 1_000).reduce((sum, { count }) => sum + count, 0)),
      close: () => Promise.resolve(all.clear()),
    })
  },
})
pluginContract(storesMemory, { config: {} })
