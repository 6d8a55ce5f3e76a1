import { pluginContract } from '@amodal/sdk/testing'
import { searchPlugin } from '../src/index.ts'

pluginContract(searchPlugin)
