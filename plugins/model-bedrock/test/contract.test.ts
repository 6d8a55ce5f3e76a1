import { keyedProviderContract } from '@amodal/sdk/testing'
import { createConverseModel } from '../src/converse-model.ts'
import { BEDROCK } from '../src/endpoint.ts'
import { modelBedrock } from '../src/index.ts'

keyedProviderContract(modelBedrock, {
  endpoint: BEDROCK,
  make: createConverseModel,
  skip: {
    'reads lines that end in any of the three ways': 'a stream has binary frames, and no lines',
  },
})
