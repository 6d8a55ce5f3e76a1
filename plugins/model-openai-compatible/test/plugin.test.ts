import { explain, Kernel, Models, unwrap, use } from '@amodal/sdk'
import { plainDeps, pluginContract } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { modelOpenaiCompatible } from '../src/index.ts'

const given = plainDeps({ GROQ_API_KEY: 'k' })

pluginContract(modelOpenaiCompatible, { with: [use(given)] })

test('registers every endpoint it knows by its name', async () => {
  const kernel = unwrap(await Kernel.create([use(given), use(modelOpenaiCompatible)]), explain)
  try {
    const models = kernel.current().registry(Models)
    expect([...models.keys()].sort()).toEqual([
      'deepseek',
      'fireworks',
      'groq',
      'mistral',
      'openai-compatible',
      'together',
      'xai',
    ])
    expect(
      [...models.values()]
        .filter((provider) => provider.status?.().keySet)
        .map((provider) => provider.status?.().provider),
    ).toEqual(['groq'])
  } finally {
    await kernel.close()
  }
})
