import { pluginContract } from '@amodal/sdk/testing'
import modelFailover from '@amodal/plugin-model-failover'

pluginContract(modelFailover, { config: { retries: 1 } })
