import { z } from 'zod'

/** Times (ms, unless their name says otherwise) and sizes. */
export const Settings = z.strictObject({
  callMs: z
    .int()
    .min(1)
    .max(3_600_000)
    .default(60_000)
    .describe('ms for one call, where the connection names no `timeoutMs`'),
  connectMs: z
    .int()
    .min(1)
    .max(600_000)
    .default(60_000)
    .describe('ms to start a server and to list its tools'),
  waitMs: z
    .int()
    .min(0)
    .max(15_000)
    .default(5_000)
    .describe('ms that the first turn waits for servers that are still starting'),
  graceMs: z
    .int()
    .min(1)
    .max(3_000)
    .default(1_500)
    .describe('ms from the end of its input to SIGTERM, and from there to SIGKILL'),
  maxBytes: z
    .int()
    .min(1_000)
    .default(10_000_000)
    .describe('bytes of one message of a server; one that sends more is cut off'),
  maxTools: z
    .int()
    .min(1)
    .max(5_000)
    .default(200)
    .describe('tools of one server; the rest is left out'),
  resultChars: z.int().min(100).default(200_000).describe('characters of one result'),
  imageChars: z
    .int()
    .min(0)
    .default(8_000_000)
    .describe('characters of base64 of all pictures of one result'),
  holdMs: z
    .int()
    .min(0)
    .max(3_600_000)
    .default(240_000)
    .describe(
      'ms that a call is held open while a person answers a question of its server; after that it is made anew',
    ),
  samplingTokens: z
    .int()
    .min(1)
    .default(2_000)
    .describe('tokens of one answer of the model to a server that may ask it'),
  samplingChars: z
    .int()
    .min(100)
    .default(50_000)
    .describe('characters of one request of a server to the model'),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'where browsers reach this server, for people who come back from an authorization server; the address of the request on this machine where it is left out',
    ),
  questionSeconds: z
    .int()
    .min(0)
    .default(0)
    .describe('seconds that a question of a server waits for a person; 0: for ever'),
})
export type Settings = Readonly<z.output<typeof Settings>>
