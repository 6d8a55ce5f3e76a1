import { pluginContract } from '@amodal/sdk/testing'
import { limits } from '../src/index.ts'

pluginContract(limits, { config: { requests: { perMinute: 10 }, runs: { concurrent: null } } })
