import { keyedProviderContract, secretsOf, straightOut } from '@amodal/sdk/testing'
import { AccessTokens } from '../src/access-tokens.ts'
import { VERTEX } from '../src/endpoint.ts'
import { modelVertex } from '../src/index.ts'
import { vertexModels } from '../src/vertex-model.ts'

keyedProviderContract(modelVertex, {
  endpoint: VERTEX,
  make: vertexModels(new AccessTokens({ secrets: secretsOf({}), outbound: straightOut })),
  skip: {
    'hands on arguments that are no JSON as they are':
      'arguments are objects in this protocol, and one that is malformed ends the reply',
  },
})
