import { http } from '@amodal/plugin-http'
import loop from '@amodal/plugin-loop'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import stores from '@amodal/plugin-stores'
import storesMemory from '@amodal/plugin-stores-memory'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { pages } from '../src/index.ts'

pluginContract(pages, {
  with: [use(loop), use(sessionsMemory), use(stores), use(storesMemory), use(http, { port: 0 })],
})
