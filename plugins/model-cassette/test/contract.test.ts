import modelCassette from '@amodal/plugin-model-cassette'
import secretsEnv from '@amodal/plugin-secrets-env'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'

pluginContract(modelCassette, { config: { mode: 'replay' }, with: [use(secretsEnv, { env: {} })] })
