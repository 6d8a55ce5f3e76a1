import { pluginContract, storeContract } from '@amodal/sdk/testing'
import { tenantId } from '@amodal/sdk'
import { MemoryStores } from '../src/memory-stores.ts'
import { storesMemory } from '../src/index.ts'

storeContract('stores-memory', {
  make: () => {
    const all = new MemoryStores()
    return Promise.resolve({ of: (tenant) => all.of(tenantId(tenant)), close: () => Promise.resolve(all.clear()) })
  },
})
pluginContract(storesMemory, { config: {} })
