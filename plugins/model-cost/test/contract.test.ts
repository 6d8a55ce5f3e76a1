import { pluginContract } from '@amodal/sdk/testing'
import modelCost from '@amodal/plugin-model-cost'

pluginContract(modelCost, { config: { prices: { 'ollama/qwen3': { input: 0, output: 0 } } } })
