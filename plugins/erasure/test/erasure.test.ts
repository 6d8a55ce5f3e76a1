import { pluginContract } from '@amodal/sdk/testing'
import { erasure } from '../src/index.ts'

pluginContract(erasure, { config: {} })
