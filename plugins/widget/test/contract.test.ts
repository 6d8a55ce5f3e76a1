import { http } from '@amodal/plugin-http'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { widget } from '../src/index.ts'

pluginContract(widget, { with: [use(http, { port: 0 })] })
