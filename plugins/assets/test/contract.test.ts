import { http } from '@amodal/plugin-http'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { assets } from '../src/index.ts'

pluginContract(assets, { with: [use(http, { port: 0 })] })
