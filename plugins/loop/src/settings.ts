import { z } from 'zod'
import { RetentionSettings } from './sessions/retention.ts'

const wholeNumber = (fallback: number, least = 1) => z.number().int().min(least).default(fallback)

/** Times (ms) and sizes of the loop. Tests use short ones. */
export const RuntimeSettings = z.strictObject({
  /** How long a session stays owned without a commit or heartbeat. */
  leaseMs: wholeNumber(20_000),
  /** How long after its end a lease may be taken over. */
  marginMs: wholeNumber(2_000, 0),
  /** A live owner without any progress for this long gives up its run. */
  stalenessMs: wholeNumber(60_000),
  /** How often lapsed sessions are searched for. */
  sweepMs: wholeNumber(5_000),
  /**
   * How long resumed runs of a lost owner must run, unless they make progress, before the next ones
   * are resumed.
   */
  suspectMs: wholeNumber(1_000),
  /** How long a run that crashed more than once runs alone before other runs begin, ms. */
  trialMs: wholeNumber(2_000),
  /** Crashes without progress after which a run is set aside, even if it never crashed alone. */
  maxCrashes: wholeNumber(10),
  /** How often a reader checks the journal for entries of other instances. */
  pollMs: wholeNumber(1_000),
  /** From the call to the first part of the reply. */
  firstPartMs: wholeNumber(120_000),
  /** Between two parts of a reply. */
  stallMs: wholeNumber(60_000),
  /** One request to the session store. */
  storeMs: wholeNumber(10_000),
  toolMs: wholeNumber(60_000),
  /** The most steps of one run: model calls, each with its tools. */
  maxTurns: wholeNumber(15),
  /** The most tool calls of one run. */
  maxToolCalls: wholeNumber(500),
  /** The most read-only calls that run at the same time. */
  parallelCalls: wholeNumber(8),
  /** The estimated bytes of memory for the histories of all idle sessions. */
  residentBytes: wholeNumber(64_000_000, 0),
  /** The most characters of a tool's output; longer ones are truncated with a marker. */
  outputChars: wholeNumber(1_000_000),
  /** The most characters of one reply; longer ones are cut. */
  replyChars: wholeNumber(2_000_000),
  /**
   * The most bytes of files in one model call. The newest files are sent; older ones are replaced
   * by a note to the model.
   */
  fileBytes: wholeNumber(20_000_000),
  /** The most messages that may wait in one session. */
  queue: wholeNumber(100),
  /** How long `close` waits for runs before it releases them to other instances. */
  drainMs: wholeNumber(10_000, 0),
  /**
   * The time without a message until a session is idle, and the further time until the history of
   * an idle session is deleted (ms, the same value for both). An unattended run keeps its history
   * for at least a week. 0: never.
   */
  sessionTtlMs: wholeNumber(3_600_000, 0),
  /** How long sessions are kept, by kind and by tenant, where it differs from `sessionTtlMs`. */
  retention: RetentionSettings,
})
export type RuntimeSettings = Readonly<z.output<typeof RuntimeSettings>>

export const DEFAULT_SETTINGS: RuntimeSettings = Object.freeze(RuntimeSettings.parse({}))

/** ms for runs to react to the loss of their lease. */
export const LET_GO_MS = 1_000

/**
 * The longest time to close: the loop waits for runs, gives up the rest, and returns their leases.
 */
export const closeMs = ({ drainMs, storeMs }: RuntimeSettings): number =>
  drainMs + 2 * LET_GO_MS + storeMs
