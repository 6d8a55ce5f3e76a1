/** Times (ms) and sizes of the loop. Tests run on short ones. */
export interface RuntimeSettings {
  /** How long a lane stays owned without a commit or heartbeat. */
  readonly leaseMs: number
  /** How long after its end a lease may be taken over. */
  readonly marginMs: number
  /** A live owner without any progress for this long gives up its run. */
  readonly stalenessMs: number
  /** How often lapsed lanes are looked for. */
  readonly sweepMs: number
  /** How often a reader looks into the journal for what another instance wrote. */
  readonly pollMs: number
  /** From the call to a model's first part. */
  readonly firstPartMs: number
  /** Between two parts. */
  readonly stallMs: number
  /** One statement of the session store. */
  readonly storeMs: number
  readonly toolMs: number
  readonly maxTurns: number
  /** Read-only calls that run at the same time. */
  readonly parallelCalls: number
  /** Characters of history that all resident sessions may keep. */
  readonly residentChars: number
  /** Characters of one tool's output that are kept; the rest is cut with a marker. */
  readonly outputChars: number
  /** Characters of one reply; an endless one is cut. */
  readonly replyChars: number
  /** Messages that may wait in one session. */
  readonly queue: number
  /** How long `close` waits for runs before it leaves them to others. */
  readonly drainMs: number
  /** Without a message for this long a session is idle; after as long again its history is deleted. 0: never. */
  readonly sessionTtlMs: number
}

export const DEFAULT_SETTINGS: RuntimeSettings = {
  leaseMs: 20_000, marginMs: 2_000, stalenessMs: 60_000, sweepMs: 5_000, pollMs: 1_000,
  firstPartMs: 120_000, stallMs: 60_000, storeMs: 10_000, toolMs: 60_000,
  maxTurns: 15, parallelCalls: 8, residentChars: 256_000_000, outputChars: 1_000_000, replyChars: 2_000_000,
  queue: 100, drainMs: 10_000, sessionTtlMs: 3_600_000,
}
