import { pluginContract } from '@amodal/sdk/testing'
import { parts } from '../src/index.ts'

pluginContract(parts)
