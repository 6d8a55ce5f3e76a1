import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { storesMemory } from '@amodal/plugin-stores-memory'
import { stores } from '../src/index.ts'

pluginContract(stores, { config: { maxBatch: 10 }, with: [use(storesMemory)] })
