import { Agent, use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { http } from '@amodal/plugin-http'
import { chat } from '../src/index.ts'
import { SmallAgent } from './small-agent.ts'

pluginContract(chat, {
  with: [use(http, { port: 0 })],
  kernel: { services: [[Agent, new SmallAgent()]] },
})
