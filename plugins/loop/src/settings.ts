import { z } from 'zod'
import { RetentionSettings } from './retention.ts'

const ms = (fallback: number, least = 1) => z.number().int().min(least).default(fallback)

/** Times (ms) and sizes of the loop. Tests run on short ones. */
export const RuntimeSettings = z.strictObject({
  /** How long a session stays owned without a commit or heartbeat. */
  leaseMs: ms(20_000),
  /** How long after its end a lease may be taken over. */
  marginMs: ms(2_000, 0),
  /** A live owner without any progress for this long gives up its run. */
  stalenessMs: ms(60_000),
  /** How often lapsed sessions are looked for. */
  sweepMs: ms(5_000),
  /**
   * How long runs of a lost owner have to go well, unless they make progress, before the next ones
   * are picked up.
   */
  suspectMs: ms(1_000),
  /** How long a run that was lost again runs alone before others begin beside it. */
  trialMs: ms(2_000),
  /**
   * Crashes without progress after which a run is set aside, also where no trial has shown that it
   * is to blame.
   */
  maxCrashes: ms(10),
  /** How often a reader looks into the journal for what another instance wrote. */
  pollMs: ms(1_000),
  /** From the call to a model's first part. */
  firstPartMs: ms(120_000),
  /** Between two parts. */
  stallMs: ms(60_000),
  /** One statement of the session store. */
  storeMs: ms(10_000),
  toolMs: ms(60_000),
  maxTurns: ms(15),
  /** Tool calls of one run. */
  maxToolCalls: ms(500),
  /** Read-only calls that run at the same time. */
  parallelCalls: ms(8),
  /** Bytes of memory, by estimate, that the histories of idle sessions may take, all together. */
  residentBytes: ms(64_000_000, 0),
  /** Characters of one tool's output that are kept; the rest is cut with a marker. */
  outputChars: ms(1_000_000),
  /** Characters of one reply; an endless one is cut. */
  replyChars: ms(2_000_000),
  /**
   * Bytes of files that one model call has at most. The newest come first; in place of the others
   * the model is told that they are there.
   */
  fileBytes: ms(20_000_000),
  /** Messages that may wait in one session. */
  queue: ms(100),
  /** How long `close` waits for runs before it leaves them to others. */
  drainMs: ms(10_000, 0),
  /**
   * Without a message for this long a session is idle; after as long again its history is deleted,
   * and that of a run without a person after a week at least. 0: never.
   */
  sessionTtlMs: ms(3_600_000, 0),
  /** How long sessions are kept, by kind and by tenant, where that is not `sessionTtlMs`. */
  retention: RetentionSettings,
})
export type RuntimeSettings = Readonly<z.output<typeof RuntimeSettings>>

export const DEFAULT_SETTINGS: RuntimeSettings = Object.freeze(RuntimeSettings.parse({}))

/** ms that runs get to notice that they were given up. */
export const LET_GO_MS = 1_000

/**
 * The longest that the loop takes to close: it waits for runs, gives up the rest, and returns their
 * leases.
 */
export const closeMs = ({ drainMs, storeMs }: RuntimeSettings): number =>
  drainMs + 2 * LET_GO_MS + storeMs
