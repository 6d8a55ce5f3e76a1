import { pluginContract } from '@amodal/sdk/testing'
import { clientTools } from '../src/index.ts'

pluginContract(clientTools)
