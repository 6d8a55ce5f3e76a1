import { http } from '@amodal/plugin-http'
import loop from '@amodal/plugin-loop'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { wireAiSdk } from '../src/index.ts'

pluginContract(wireAiSdk, {
  with: [use(loop), use(sessionsMemory), use(http, { port: 0 })],
})
