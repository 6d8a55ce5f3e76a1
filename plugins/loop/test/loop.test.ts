import { pluginContract } from '@amodal/sdk/testing'
import { loop } from '../src/index.ts'

// Its behaviour is tested in tests/loop, through the public entry points.
pluginContract(loop, { config: {} })
