import { z } from 'zod'

export const AssetSettings = z.strictObject({
  maxFileBytes: z.int().positive().default(10_000_000).describe('bytes of one file'),
  maxImageBytes: z
    .int()
    .positive()
    .default(5_000_000)
    .describe(
      'bytes of one image: some provider refuses larger ones, and the whole conversation with them',
    ),
  maxMessageBytes: z
    .int()
    .positive()
    .default(20_000_000)
    .describe('bytes of all files of one message'),
  maxPerMessage: z.int().positive().default(10).describe('files of one message'),
  maxTenantBytes: z
    .int()
    .positive()
    .default(1_000_000_000)
    .describe('bytes of all files that are kept for one tenant'),
  types: z
    .array(
      z.string().regex(/^(\*\/\*|[a-z]+\/(\*|[a-z0-9.+-]+))$/, 'must be a type, such as image/*'),
    )
    .default([
      'image/png',
      'image/jpeg',
      'image/gif',
      'image/webp',
      'application/pdf',
      'audio/wav',
      'audio/mpeg',
      'audio/mp4',
      'audio/aac',
      'audio/ogg',
      'audio/webm',
      'audio/flac',
      'text/*',
      'application/json',
      'application/xml',
      'application/yaml',
    ])
    .describe('types of files that are taken, with `*` for any subtype'),
  dir: z.string().optional().describe('The agent folder.'),
  folder: z
    .string()
    .min(1)
    .optional()
    .describe(
      'where the bytes of files are, relative to the agent folder; in the database where it is left out',
    ),
  byUrl: z
    .boolean()
    .default(true)
    .describe('whether callers may name the URL of a file, which the server then fetches'),
  urlTimeoutMs: z
    .int()
    .min(100)
    .max(120_000)
    .default(15_000)
    .describe('ms for fetching one file by its URL'),
  keepUnusedHours: z
    .number()
    .min(0)
    .default(24)
    .describe('hours for which a file is kept that no session has a message with'),
  keepDays: z
    .number()
    .positive()
    .optional()
    .describe(
      'days after which a file is removed that was neither uploaded nor sent since, also from messages; never where it is left out',
    ),
  cleanSeconds: z
    .number()
    .min(0.01)
    .max(86_400)
    .default(600)
    .describe('seconds between two looks for such files'),
})
export type AssetSettings = Readonly<z.output<typeof AssetSettings>>
