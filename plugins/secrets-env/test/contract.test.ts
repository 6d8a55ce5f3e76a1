import { pluginContract } from '@amodal/sdk/testing'
import { secretsEnv } from '../src/index.ts'

pluginContract(secretsEnv, { config: { env: { A: 'b' } } })
