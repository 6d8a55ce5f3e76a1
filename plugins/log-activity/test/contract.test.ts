import { pluginContract } from '@amodal/sdk/testing'
import { logActivity } from '../src/index.ts'

pluginContract(logActivity, {})
