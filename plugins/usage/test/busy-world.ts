import dbPostgres from '@amodal/plugin-db-postgres'
import sessions from '@amodal/plugin-sessions'
import { use, type Entry } from '@amodal/sdk'
import { z } from 'zod'
import type { KillPoint } from './kill-points.ts'

/** What `busy-server.ts` is started with, as JSON. */
export const BusyServer = z.strictObject({
  databaseUrl: z.string(),
  modelUrl: z.string(),
  seed: z.number(),
  /** Continues the sessions of earlier servers with this name. */
  principal: z.string(),
  point: z.custom<KillPoint>((point) => typeof point === 'object'),
})
export type BusyServer = z.output<typeof BusyServer>

export const TENANTS = ['acme', 'bolt', 'core', 'dune'] as const

/** ms; short, so that another server soon resumes the runs of a dead one. */
export const RUNTIME = {
  leaseMs: 1_000,
  marginMs: 100,
  sweepMs: 100,
  pollMs: 50,
  suspectMs: 50,
  trialMs: 100,
}

export const onPostgres = (url: string): readonly Entry[] => [
  use(dbPostgres, { url, max: 5 }),
  use(sessions),
]
