import {
  ClientError,
  isRunEnded,
  type RunDetails,
  type RunProgress,
  type Runs,
} from '@amodal/sdk/client'
import { isUnauthorized, problemOf } from './server.ts'

/** What is known of a run that is followed. */
export interface FollowedRun {
  /** `undefined` until it is known. */
  readonly run: RunDetails | undefined
  readonly events: readonly RunProgress[]
  /** Its events come as they happen; `false` while the stream is opened, and once it is over. */
  readonly isLive: boolean
  readonly problem: string | undefined
}

export const NOTHING_FOLLOWED: FollowedRun = {
  run: undefined,
  events: [],
  isLive: false,
  problem: undefined,
}

/** ms after which a run that waits for a person, or that cannot be read, is looked at again. */
const PAUSE_MS = 10_000

/**
 * Follows a run until it ends, also while it waits for people.
 *
 * @param onChange called with all that is known, after each change
 * @param signal ends it
 * @returns what has it look at once, where it pauses
 */
export function followRun(
  runs: Pick<Runs, 'follow'>,
  id: string,
  onChange: (followed: FollowedRun) => void,
  signal: AbortSignal,
): () => void {
  let followed = NOTHING_FOLLOWED
  let last: string | undefined
  let isWoken = false
  let endPause = (): void => undefined
  const update = (change: Partial<FollowedRun>): void => {
    if (signal.aborted) return
    followed = { ...followed, ...change }
    onChange(followed)
  }
  /** Ends early where something has happened meanwhile. */
  const pause = async (ms: number): Promise<void> => {
    if (!isWoken && !signal.aborted)
      await new Promise<void>((resolve) => {
        const timer = ms === Infinity ? undefined : setTimeout(resolve, ms)
        endPause = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    isWoken = false
  }
  const follow = async (): Promise<void> => {
    const updates = runs.follow(id, {
      signal,
      last,
      pauseWhileHidden: true,
      onConnection: (isLive) => update({ isLive }),
    })
    for await (const one of updates) {
      if (one.type === 'state') update({ run: one.state, problem: undefined })
      else {
        last = one.id
        update({ events: [...followed.events, one.progress] })
      }
    }
  }
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      let ms = PAUSE_MS
      try {
        await follow()
        if (followed.run && isRunEnded(followed.run.status)) return
      } catch (cause) {
        update({ problem: problemOf(cause) })
        if (isFinal(cause)) ms = Infinity
      }
      await pause(ms)
    }
  }
  void run()
  const wake = (): void => {
    isWoken = true
    endPause()
  }
  signal.addEventListener('abort', wake, { once: true })
  return wake
}

/** Whether only a person can change the answer, who then has the run looked at again. */
const isFinal = (cause: unknown): boolean =>
  isUnauthorized(cause) ||
  (cause instanceof ClientError && (cause.status === 403 || cause.status === 404))
