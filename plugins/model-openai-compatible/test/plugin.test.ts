import { definePlugin, explain, Kernel, Models, Outbound, Secrets, unwrap, use } from '@amodal/sdk'
import { pluginContract, secretsOf, straightOut } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { modelOpenaiCompatible } from '../src/index.ts'

const given = definePlugin({
  name: 'given',
  version: '1.0.0',
  provides: [Secrets, Outbound],
  setup({ provide }) {
    provide(Secrets, () => secretsOf({ GROQ_API_KEY: 'k' }))
    provide(Outbound, () => straightOut)
  },
})

pluginContract(modelOpenaiCompatible, { with: [use(given)] })

test('registers every endpoint it knows by its name', async () => {
  const kernel = unwrap(await Kernel.create([use(given), use(modelOpenaiCompatible)]), explain)
  try {
    const models = kernel.current().registry(Models)
    expect([...models.keys()].sort()).toEqual(['deepseek', 'fireworks', 'groq', 'mistral', 'openai-compatible', 'together', 'xai'])
    expect([...models.values()].filter((provider) => provider.status?.().keySet).map((provider) => provider.status?.().provider)).toEqual(['groq'])
  } finally {
    await kernel.close()
  }
})
