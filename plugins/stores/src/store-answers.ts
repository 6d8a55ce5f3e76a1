import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'

const text = z.string()
const count = z.number()

export const StoreList = z.object({
  stores: z.array(
    z
      .object({
        name: text,
        description: text.optional(),
        entity: text,
        key: text,
        schema: z.record(text, z.looseObject({ type: text })),
        ttl: jsonValue,
        trace: z.boolean(),
        history: count,
        shared: z.boolean().optional(),
        access: z.object({ write: z.boolean(), delete: z.boolean() }),
        documentCount: count,
        deadLetterCount: count.nullable(),
      })
      .meta({ id: 'Store' }),
  ),
})

const Document = z
  .object({
    key: text,
    appId: text,
    store: text,
    version: count,
    payload: z.record(text, jsonValue),
    meta: z.object({
      computedAt: jsonValue,
      stale: z.boolean(),
      ttl: count.optional(),
      expiresAt: jsonValue.optional(),
      trace: jsonValue.optional(),
    }),
  })
  .meta({ id: 'StoreDocument' })

export const DocumentPage = z.object({
  documents: z.array(Document),
  total: count,
  hasMore: z.boolean(),
})
export const StoredDocument = z.object({ document: Document, history: z.array(Document) })
export const Written = z.object({
  stored: z.literal(true),
  key: text,
  version: count,
  previousVersion: count.optional(),
})
export const Removed = z.object({ deleted: z.literal(true), key: text })
