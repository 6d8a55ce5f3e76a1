import { z } from 'zod'

export const Settings = z.strictObject({
  dir: z.string().default('.').describe('The folder in whose `.amodal` code is unpacked'),
  folder: z.string().optional().describe('Where code is unpacked, in place of `.amodal`'),
  timeoutMs: z.int().min(100).default(60_000).describe('ms of one run of a tool'),
  publishMs: z
    .int()
    .min(1_000)
    .default(300_000)
    .describe('ms in which a version is checked and published, or a branch tested'),
  leaseMs: z
    .int()
    .min(300)
    .default(30_000)
    .describe('ms after which the publication of a server that was killed is over'),
  retentionDays: z.int().min(1).default(90).describe('Days that invocations are stored'),
  archiveDays: z
    .int()
    .min(1)
    .default(30)
    .describe('Days after which the code of a deprecated version is removed'),
  cleanSeconds: z.int().min(1).default(3_600).describe('Seconds between two removals'),
})
