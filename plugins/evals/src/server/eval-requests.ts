import { z } from 'zod'

const names = z.array(z.string().min(1).max(500)).max(200).exactOptional()
const budget = z.number().positive().max(1_000_000).exactOptional()
export const Asked = z.strictObject({
  suites: names,
  cases: names,
  tags: names,
  providers: names,
  models: names,
  runs: z.int().min(1).max(100).exactOptional(),
  concurrency: z.int().min(1).max(64).exactOptional(),
  budget,
})
export const Resumed = z.strictObject({ budget })
export const Promoted = z.strictObject({
  session: z.string().min(1).max(200),
  at: z.int().min(1).exactOptional(),
  name: z.string().min(1).max(100).exactOptional(),
  faults: z
    .array(
      z.strictObject({
        categories: z.array(z.string().max(100)).max(50).default([]),
        comment: z.string().max(20_000).default(''),
      }),
    )
    .max(50)
    .exactOptional(),
})
const content = z.string().min(1).max(1_048_576)
const document = z.string().min(1).max(300)
export const Replayed = z.strictObject({
  session: z.string().min(1).max(200),
  with: z
    .array(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('skill'), name: document.exactOptional(), content }),
        z.strictObject({ kind: z.literal('knowledge'), name: document, content }),
        z.strictObject({ kind: z.literal('prompt'), content }),
        z.strictObject({ kind: z.literal('model'), model: document }),
      ]),
    )
    .max(20)
    .default([]),
})
export const Page = z.object({ limit: z.coerce.number().int().min(1).max(200).default(20) })
export const Other = z.object({ with: z.string().min(1).max(200) })
