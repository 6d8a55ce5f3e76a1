import { pluginContract } from '@amodal/sdk/testing'
import { http } from '../src/index.ts'

pluginContract(http, { config: { port: 0 } })
