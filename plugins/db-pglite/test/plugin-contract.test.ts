import { pluginContract } from '@amodal/sdk/testing'
import { dbPglite } from '../src/index.ts'

pluginContract(dbPglite, { config: { dataDir: 'memory://' } })
