import loop from '@amodal/plugin-loop'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { structuredOutput } from '../src/index.ts'

pluginContract(structuredOutput, { with: [use(loop), use(sessionsMemory)] })
