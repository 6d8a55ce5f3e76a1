import { z } from 'zod'

export const settings = z.strictObject({
  expose: z
    .array(z.string().min(1).max(100))
    .max(200)
    .default([])
    .describe('Tools of the agent that clients may call: names, or patterns with `*`'),
  stores: z
    .boolean()
    .default(true)
    .describe('The tools of the stores are among them, for credentials with the scope `stores`'),
  resource: z
    .url()
    .optional()
    .describe('The address of `/mcp` as clients know it, for OAuth; left out: that of the request'),
  pageSize: z.int().min(1).max(1_000).default(100).describe('Entries of one page of a list'),
  connections: z
    .strictObject({
      most: z.int().min(1).default(1_000).describe('Sessions of the protocol kept at once'),
      idleMs: z.int().min(1_000).default(3_600_000).describe('ms without use, then one is dropped'),
      events: z.int().min(1).default(500).describe('Messages of one kept for streams that resume'),
    })
    .prefault({})
    .describe('For clients of 2025-11-25 and before; later ones have no sessions'),
  maxMessageChars: z.int().positive().default(100_000).describe('Characters of one message'),
  maxBodyBytes: z.int().positive().default(10_000_000).describe('Bytes of one request'),
})

export type Settings = z.output<typeof settings>
