import { providerContract } from '@amodal/sdk/testing'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { modelOf } from './support.ts'

providerContract('openai-compatible', {
  make: ({ url, apiKey, model }) =>
    modelOf({ model, baseUrl: url, apiKey: 'env:CONTRACT_KEY' }, { CONTRACT_KEY: apiKey }),
})

// The kit itself is held against a provider that is not ours.
providerContract('@ai-sdk/openai-compatible', {
  make: ({ url, apiKey, model }) =>
    createOpenAICompatible({ name: 'reference', baseURL: url, apiKey, includeUsage: true })(model),
  skip: {
    'never repeats its key, even where the endpoint does':
      'it hands on what the endpoint says, word for word',
    'ends with the reply, not with the connection': 'it reads until the endpoint closes its side',
    'takes nothing that comes after the end': 'it reads behind the end mark',
    'reads a whole body where a stream was asked for': 'it knows streams of events only',
  },
})
