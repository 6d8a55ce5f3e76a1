import { pluginContract } from '@amodal/sdk/testing'
import { loop } from '../src/index.ts'

// What it does is told in tests/loop, through the doors that users have.
pluginContract(loop, { config: {} })
