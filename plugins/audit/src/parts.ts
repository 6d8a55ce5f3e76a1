import { join, resolve } from 'node:path'
import type { Clock, Database, Logger, Secrets } from '@amodal/sdk'
import { z } from 'zod'
import { DatabaseChains } from './database-store.ts'
import { LineFile } from './line-file.ts'
import { MemoryChains } from './memory-store.ts'
import { Recovery } from './recovery.ts'
import { Sealing } from './sealing.ts'
import { KEY_VARIABLE } from './signer.ts'
import { LineSinks, type LineListener } from './sinks.ts'
import type { ChainStore } from './store.ts'
import { Trail } from './trail.ts'

export const AuditConfig = z.strictObject({
  dir: z
    .string()
    .optional()
    .describe(
      'The agent folder: checkpoints are kept in its `.amodal/audit`. Without one nothing is signed.',
    ),
  checkpoints: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A second folder for checkpoints, best on another disk; relative to the agent folder.',
    ),
  memory: z
    .boolean()
    .default(false)
    .describe('Lines stay in this process: nothing is signed, and nothing is added to `file`.'),
  file: z
    .string()
    .min(1)
    .optional()
    .describe('Every line is added to this file too, as JSON; relative to the agent folder.'),
  log: z.boolean().default(false).describe('Every line goes into the log too.'),
  onLine: z
    .custom<LineListener>((value) => typeof value === 'function', 'a function that takes a line')
    .optional()
    .describe('For an embedding: called with every line.'),
})

interface Around {
  readonly database: Database | undefined
  readonly secrets: Secrets | undefined
  readonly clock: Clock
  readonly log: Logger
}

interface AuditParts {
  /** Where checkpoints are kept, and where a second time. */
  readonly own: string | undefined
  readonly copies: string | undefined
  readonly sealing: Sealing | undefined
  readonly recovery: Recovery | undefined
  readonly store: ChainStore
  readonly file: LineFile | undefined
  readonly sinks: LineSinks
  readonly trail: Trail
}

/** What the log is made of: chains in the database or in memory, and what signs and copies them. */
export function auditParts(
  config: z.output<typeof AuditConfig>,
  { database, secrets, clock, log }: Around,
): AuditParts {
  const inFolder = (path: string): string => resolve(config.dir ?? '.', path)
  const own = config.dir === undefined ? undefined : join(config.dir, '.amodal', 'audit')
  const copies = config.checkpoints === undefined ? undefined : inFolder(config.checkpoints)
  const exclusive = database?.exclusive ?? true
  const sealing =
    !database || config.memory || own === undefined
      ? undefined
      : new Sealing({
          folder: own,
          copies,
          key: () => secrets?.get(KEY_VARIABLE),
          exclusive,
          clock,
          log,
        })
  const chains = database && new DatabaseChains(database, sealing)
  const recovery =
    sealing && chains ? new Recovery({ chains, sealing, exclusive, clock, log }) : undefined
  const store = chains ?? new MemoryChains()
  const file =
    config.file === undefined || config.memory
      ? undefined
      : new LineFile(inFolder(config.file), store, database !== undefined)
  const sinks = new LineSinks({ ...config, file }, log)
  const trail = new Trail(recovery?.first(store) ?? store, log, (tenant, lines) => {
    sinks.take(tenant, lines)
    const last = lines.at(-1)
    if (last) sealing?.count(tenant, last)
  })
  return { own, copies, sealing, recovery, store, file, sinks, trail }
}
