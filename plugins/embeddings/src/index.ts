import { definePlugin, Outbound, Secrets } from '@amodal/sdk'
import { Embeddings } from '@amodal/plugin-search/tokens'
import { z } from 'zod'
import { createEmbeddings } from './embeddings-service.ts'
import { EMBEDDING_PROVIDERS, serviceOf } from './providers.ts'

/**
 * Vectors of texts from a service that speaks OpenAI's `/embeddings`: its own, those of other
 * providers, and servers on the same machine.
 */
export const embeddings = definePlugin({
  name: 'embeddings',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'] },
  requires: { outbound: Outbound, secrets: Secrets },
  provides: [Embeddings],
  config: z
    .strictObject({
      provider: z
        .enum(EMBEDDING_PROVIDERS)
        .default('openai')
        .describe('Whose model it is, which names address and key; `openai-compatible` has none'),
      model: z.string().min(1).describe('Such as `text-embedding-3-small`'),
      baseUrl: z
        .string()
        .min(1)
        .optional()
        .describe('Address of the service without `/embeddings`, or `env:` and a name'),
      apiKey: z
        .string()
        .min(1)
        .optional()
        .describe('`env:` and the name of a variable, in place of that of the provider'),
      dimensions: z
        .int()
        .min(1)
        .max(10_000)
        .optional()
        .describe('Length of a vector, for models that have several'),
      batch: z.int().min(1).max(2_000).default(100).describe('Texts of one request at most'),
      timeoutMs: z.int().min(100).max(120_000).default(20_000).describe('ms for one request'),
    })
    .refine((config) => serviceOf(config) !== undefined, {
      path: ['baseUrl'],
      error: 'is missing: the provider `openai-compatible` has no address of its own',
    }),
  setup({ config, deps, provide }) {
    const service = serviceOf(config)
    if (service) provide(Embeddings, () => createEmbeddings({ ...config, ...service }, deps))
  },
})

export default embeddings
