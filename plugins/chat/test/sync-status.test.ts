import { expect, test } from 'vitest'
import { defineError, definePlugin } from '@amodal/sdk'
import { errorOf, served } from './server.ts'

const Closed = defineError({ code: 'SHOP_CLOSED', status: 409, fix: 'come back tomorrow' })
const shop = definePlugin({
  name: 'shop',
  version: '1.0.0',
  errors: [Closed],
  setup: () => undefined,
})

test.each([
  ['MODEL_FAILED', 502],
  ['CONTEXT_OVERFLOW', 413],
  ['MODEL_FILTERED', 422],
  ['RUN_SET_ASIDE', 409],
  ['SHOP_CLOSED', 409],
  ['PLUGIN_FAILED', 500],
  ['NEVER_DEFINED', 500],
])('a turn that ends with %s has the status %i', async (code, status) => {
  await using server = await served({}, {}, [shop])
  const response = await server.post('/chat/sync', { message: `fail ${code}` })
  expect([response.status, await errorOf(response)]).toEqual([
    status,
    { code, message: 'the model said no' },
  ])
})
