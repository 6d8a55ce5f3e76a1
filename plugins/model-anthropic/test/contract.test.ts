import { keyedProvider } from '@amodal/sdk/models'
import { definePlugin, explain, Kernel, Models, Outbound, Secrets, unwrap, use } from '@amodal/sdk'
import { pluginContract, providerContract, secretsOf, straightOut } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { modelAnthropic } from '../src/index.ts'
import { ANTHROPIC, createMessagesModel } from '../src/messages-model.ts'

const KEY = 'ANTHROPIC_API_KEY'
const given = definePlugin({
  name: 'given', version: '1.0.0', provides: [Secrets, Outbound],
  setup({ provide }) {
    provide(Secrets, () => secretsOf({ [KEY]: 'k-given' }))
    provide(Outbound, () => straightOut)
  },
})

pluginContract(modelAnthropic, { with: [use(given)] })

providerContract('anthropic', {
  make({ url, apiKey, model }) {
    const provider = keyedProvider(ANTHROPIC, { secrets: secretsOf({ [KEY]: apiKey }), outbound: straightOut }, createMessagesModel)
    return unwrap(provider.model({ provider: 'anthropic', model, baseUrl: url }), ({ message }) => message)
  },
})

test('is found by its key, with a model of its own', async () => {
  const kernel = unwrap(await Kernel.create([use(given), use(modelAnthropic)]), explain)
  try {
    const provider = kernel.current().registry(Models).get('anthropic')
    expect(provider?.status?.()).toEqual({ provider: 'anthropic', envVar: KEY, keySet: true })
    expect(ANTHROPIC.model).toBe(provider?.defaultModel)
  } finally {
    await kernel.close()
  }
})
