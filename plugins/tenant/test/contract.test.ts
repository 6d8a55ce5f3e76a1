import { pluginContract } from '@amodal/sdk/testing'
import { tenant } from '../src/index.ts'

pluginContract(tenant, { config: { requireScope: true, sessions: 'principal' } })
