import { pluginContract } from '@amodal/sdk/testing'
import { logJson } from '../src/index.ts'

pluginContract(logJson, { config: { level: 'none' } })
