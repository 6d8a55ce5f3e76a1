import { pluginContract } from '@amodal/sdk/testing'
import { terminal } from '../src/index.ts'

pluginContract(terminal)
