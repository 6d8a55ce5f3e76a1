import { keyedProvider } from '@amodal/sdk/models'
import { definePlugin, explain, Kernel, Models, Outbound, Secrets, unwrap, use } from '@amodal/sdk'
import { observeReply, pluginContract, providerContract, reply, secretsOf, startModelServer, straightOut } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { modelOpenai } from '../src/index.ts'
import { OPENAI, createResponsesModel } from '../src/responses-model.ts'

const KEY = 'OPENAI_API_KEY'
const given = definePlugin({
  name: 'given', version: '1.0.0', provides: [Secrets, Outbound],
  setup({ provide }) {
    provide(Secrets, () => secretsOf({ [KEY]: 'k-given' }))
    provide(Outbound, () => straightOut)
  },
})

pluginContract(modelOpenai, { with: [use(given)] })

providerContract('openai', {
  make({ url, apiKey, model }) {
    const provider = keyedProvider(OPENAI, { secrets: secretsOf({ [KEY]: apiKey }), outbound: straightOut }, createResponsesModel)
    return unwrap(provider.model({ provider: 'openai', model, baseUrl: url }), ({ message }) => message)
  },
})

test('is found by its key, with a model of its own', async () => {
  const kernel = unwrap(await Kernel.create([use(given), use(modelOpenai)]), explain)
  try {
    const provider = kernel.current().registry(Models).get('openai')
    expect(provider?.status?.()).toEqual({ provider: 'openai', envVar: KEY, keySet: true })
    expect(OPENAI.model).toBe(provider?.defaultModel)
  } finally {
    await kernel.close()
  }
})

test('an address that knows no responses is told from a model that is not there', async () => {
  const server = await startModelServer({ script: reply.text('x') })
  try {
    const provider = keyedProvider(OPENAI, { secrets: secretsOf({}), outbound: straightOut }, createResponsesModel)
    const model = unwrap(provider.model({ provider: 'openai', model: 'm', baseUrl: `${server.url}/elsewhere` }), ({ message }) => message)
    const seen = await observeReply(model, { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }] })
    expect(seen.errors).toMatchObject([{ statusCode: 404, message: expect.stringMatching(/answered 404: .*is the provider "openai-compatible"$/) as string }])
  } finally {
    await server.close()
  }
})
