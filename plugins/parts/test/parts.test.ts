import { use } from '@amodal/sdk'
import { plainDeps, pluginContract } from '@amodal/sdk/testing'
import { parts } from '../src/index.ts'

pluginContract(parts, { with: [use(plainDeps({}))] })
