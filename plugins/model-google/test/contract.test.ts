import { keyedProviderContract } from '@amodal/sdk/testing'
import { createGeminiModel, GOOGLE } from '../src/gemini-model.ts'
import { modelGoogle } from '../src/index.ts'

keyedProviderContract(modelGoogle, {
  endpoint: GOOGLE,
  make: createGeminiModel,
  skip: {
    'hands on arguments that are no JSON as they are':
      'arguments are objects in this protocol, and one that is malformed ends the reply',
  },
})
