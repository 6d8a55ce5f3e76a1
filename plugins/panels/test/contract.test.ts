import { http } from '@amodal/plugin-http'
import loop from '@amodal/plugin-loop'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { panels } from '../src/index.ts'

pluginContract(panels, {
  with: [use(loop), use(sessionsMemory), use(http, { port: 0 })],
})
