import { z } from 'zod'

const MB = 1_048_576

export const settings = z.strictObject({
  dir: z.string().default('.').describe('The folder in whose `.amodal` the repositories are'),
  folder: z
    .string()
    .optional()
    .describe('Where the repositories are, in place of `.amodal/tool-repos`'),
  maxPackBytes: z
    .int()
    .min(1_024)
    .default(128 * MB)
    .describe('Bytes of one push'),
  maxRepoBytes: z
    .int()
    .min(1_024)
    .default(512 * MB)
    .describe('Bytes of one repository'),
  maxObjectBytes: z
    .int()
    .min(1_024)
    .default(256 * MB)
    .describe('Bytes of one file of a push, unpacked'),
  maxRefs: z.int().min(1).default(1_000).describe('Branches and tags of one repository'),
  maxFiles: z.int().min(1).default(2_000).describe('Files of one tool that is published'),
  maxToolBytes: z
    .int()
    .min(1)
    .default(50 * MB)
    .describe('Bytes of one tool that is published'),
  processes: z.int().min(1).default(8).describe('Git processes at a time'),
  processesPerTenant: z.int().min(1).default(4).describe('Git processes at a time for one tenant'),
  waitMs: z
    .int()
    .min(1)
    .default(30_000)
    .describe('ms that a request waits for its turn before it is refused as `REPO_BUSY`'),
  timeoutMs: z.int().min(100).default(600_000).describe('ms that one git process may take'),
  memoryMb: z.int().min(64).default(1_024).describe('MB that one git process may take'),
  packs: z.int().min(2).default(50).describe('Packs after which a repository is repacked'),
})
export type Settings = z.output<typeof settings>
