import { keyedProvider } from '@amodal/sdk/models'
import { definePlugin, explain, Kernel, Models, Outbound, Secrets, unwrap, use } from '@amodal/sdk'
import { pluginContract, providerContract, secretsOf, straightOut } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { modelGoogle } from '../src/index.ts'
import { GOOGLE, createGeminiModel } from '../src/gemini-model.ts'

const KEY = 'GOOGLE_API_KEY'
const given = definePlugin({
  name: 'given', version: '1.0.0', provides: [Secrets, Outbound],
  setup({ provide }) {
    provide(Secrets, () => secretsOf({ [KEY]: 'k-given' }))
    provide(Outbound, () => straightOut)
  },
})

pluginContract(modelGoogle, { with: [use(given)] })

providerContract('google', {
  make({ url, apiKey, model }) {
    const provider = keyedProvider(GOOGLE, { secrets: secretsOf({ [KEY]: apiKey }), outbound: straightOut }, createGeminiModel)
    return unwrap(provider.model({ provider: 'google', model, baseUrl: url }), ({ message }) => message)
  },
  skip: { 'hands on arguments that are no JSON as they are': 'arguments are objects in this protocol, and one that is malformed ends the reply' },
})

test('is found by its key, with a model of its own', async () => {
  const kernel = unwrap(await Kernel.create([use(given), use(modelGoogle)]), explain)
  try {
    const provider = kernel.current().registry(Models).get('google')
    expect(provider?.status?.()).toEqual({ provider: 'google', envVar: KEY, keySet: true })
    expect(GOOGLE.model).toBe(provider?.defaultModel)
  } finally {
    await kernel.close()
  }
})
