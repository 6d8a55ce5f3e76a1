import { keyedProvider } from '@amodal/sdk/model'
import { unwrap } from '@amodal/sdk'
import {
  keyedProviderContract,
  observeReply,
  reply,
  secretsOf,
  startModelServer,
  straightOut,
} from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { modelOpenai } from '../src/index.ts'
import { OPENAI, createResponsesModel } from '../src/responses-model.ts'

keyedProviderContract(modelOpenai, { endpoint: OPENAI, make: createResponsesModel })

test('an address that knows no responses is told from a model that is not there', async () => {
  const server = await startModelServer({ script: reply.text('x') })
  try {
    const provider = keyedProvider(
      OPENAI,
      { secrets: secretsOf({}), outbound: straightOut },
      createResponsesModel,
    )
    const model = unwrap(
      provider.model({ provider: 'openai', model: 'm', baseUrl: `${server.url}/elsewhere` }),
      ({ message }) => message,
    )
    const seen = await observeReply(model, {
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }],
    })
    expect(seen.errors).toMatchObject([
      {
        statusCode: 404,
        message: expect.stringMatching(
          /answered 404: .*is the provider "openai-compatible"$/,
        ) as string,
      },
    ])
  } finally {
    await server.close()
  }
})
