import { use } from '@amodal/sdk'
import { http } from '@amodal/plugin-http'
import { pluginContract } from '@amodal/sdk/testing'
import { events } from '../src/index.ts'

pluginContract(events, { with: [use(http, { port: 0 })], config: { buffer: 10 } })
