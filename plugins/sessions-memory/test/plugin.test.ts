import { pluginContract } from '@amodal/sdk/testing'
import { sessionsMemory } from '../src/index.ts'

pluginContract(sessionsMemory)
