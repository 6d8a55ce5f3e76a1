import type { JsonObject } from '@amodal/sdk'

const NOUNS = [
  'invoice',
  'customer',
  'payment',
  'refund',
  'subscription',
  'order',
  'shipment',
  'product',
  'coupon',
  'dispute',
]
const ACTIONS: readonly (readonly [method: string, path: string, verb: string])[] = [
  ['get', '', 'List'],
  ['post', '', 'Create'],
  ['get', '/{id}', 'Get'],
  ['patch', '/{id}', 'Update'],
  ['delete', '/{id}', 'Delete'],
]

/**
 * An OpenAPI document of as many operations as one of the large public APIs has, with schemas that
 * refer to each other.
 */
export function largeDocument(operations: number): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {}
  const schemas: Record<string, JsonObject> = {}
  for (let n = 0; n < operations / ACTIONS.length; n++) {
    const noun = `${NOUNS[n % NOUNS.length] ?? 'thing'}${n < NOUNS.length ? '' : `-${Math.floor(n / NOUNS.length)}`}`
    const schema = `Schema${n}`
    schemas[schema] = {
      type: 'object',
      description: 'Lorem ipsum dolor sit amet, consectetur adipiscing elit. '.repeat(6),
      required: ['name'],
      properties: {
        ...Object.fromEntries(
          Array.from({ length: 20 }, (_, f) => [
            `field_${f}`,
            {
              type: 'string',
              description: 'Lorem ipsum dolor sit amet. '.repeat(4),
              maxLength: 255,
            },
          ]),
        ),
        name: { type: 'string' },
        amount: { type: 'integer' },
        stage: { type: 'string', enum: ['open', 'won', 'lost'] },
        parent: { $ref: `#/components/schemas/Schema${(n + 1) % (operations / ACTIONS.length)}` },
      },
    }
    for (const [method, below, verb] of ACTIONS) {
      paths[`/v1/${noun}s${below}`] = {
        ...paths[`/v1/${noun}s${below}`],
        [method]: {
          operationId: `${verb.toLowerCase()}_${noun}`,
          summary: `${verb} ${noun}${verb === 'List' ? 's' : ''}`,
          description: 'Lorem ipsum dolor sit amet, consectetur adipiscing elit. '.repeat(10),
          tags: [`${noun}s`],
          parameters: [
            ...(below === '' ? [] : [{ $ref: '#/components/parameters/id' }]),
            {
              name: 'expand',
              in: 'query',
              description: 'What to include',
              schema: { type: 'array', items: { type: 'string' } },
            },
          ],
          ...(['post', 'patch'].includes(method) && {
            requestBody: {
              content: {
                'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
              },
            },
          }),
          responses: {
            200: {
              description: 'ok',
              content: {
                'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
              },
            },
          },
        },
      }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Large', version: '1' },
    paths,
    components: {
      schemas,
      parameters: { id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
    },
  }
}
