import { Agent, use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { http } from '@amodal/plugin-http'
import { inspect } from '../src/index.ts'
import { StubAgent } from './stub-agent.ts'

pluginContract(inspect, {
  with: [use(http, { port: 0 })],
  kernel: { services: [[Agent, new StubAgent()]] },
})
