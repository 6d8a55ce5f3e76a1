import { use } from '@amodal/sdk'
import { http } from '@amodal/plugin-http'
import loop from '@amodal/plugin-loop'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import { pluginContract } from '@amodal/sdk/testing'
import { wireMcp } from '../src/index.ts'

pluginContract(wireMcp, {
  with: [use(loop), use(sessionsMemory), use(http, { port: 0 })],
  config: { expose: ['search_*'] },
})
