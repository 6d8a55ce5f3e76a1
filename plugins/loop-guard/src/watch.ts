import type { PreparedCall, RunContext } from '@amodal/sdk'
import { isStuck } from './progress.ts'
import type { LoopGuardSettings } from './settings.ts'
import { Tally, type Ending } from './tally.ts'
import { LoopDetected } from './errors.ts'

/** Judgements in a row that find no progress. */
const MAX_STUCK = 2
const ADVICE =
  '[A review of your last steps finds no progress. Change your approach, or tell the person what is in the way.]'

interface Watched {
  readonly tally: Tally
  /** Judged in a row. */ stuck: number
  /** The next result is to carry the notice. */ noticePending: boolean
  judged: number
}

/** The tallies and judgements of runs in this process; they are dropped with the run. */
export class Watch {
  readonly #settings: LoopGuardSettings
  readonly #runs = new WeakMap<RunContext, Watched>()

  constructor(settings: LoopGuardSettings) {
    this.#settings = settings
  }

  /** Why a call is refused. Calls that tools make are not counted. */
  refusal(call: PreparedCall, ctx: RunContext): string | undefined {
    return call.outer ? undefined : this.#follow(ctx).tally.refusal(call.id)
  }

  notice(call: PreparedCall, ctx: RunContext): string | undefined {
    if (call.outer) return undefined
    const watched = this.#follow(ctx)
    const notice = watched.tally.notice(call.id) ?? (watched.noticePending ? ADVICE : undefined)
    watched.noticePending = false
    return notice
  }

  /** So many steps are over. @returns how the run ends, where it does */
  stepped(step: number, ctx: RunContext): Ending | undefined {
    const watched = this.#follow(ctx)
    if (watched.tally.ending) return watched.tally.ending
    if (watched.stuck >= MAX_STUCK)
      return {
        kind: 'done',
        reason: 'loop_detected',
        error: {
          code: LoopDetected.code,
          message: `${watched.stuck} reviews of this run found no progress`,
        },
      }
    const every = this.#settings.progressEvery
    if (every > 0 && step % every === 0 && step > watched.judged) {
      watched.judged = step
      // Beside the run, which does not wait for it.
      void isStuck(ctx).then(
        (stuck) => {
          if (stuck === undefined) return
          watched.stuck = stuck ? watched.stuck + 1 : 0
          watched.noticePending = stuck
        },
        () => undefined,
      )
    }
    return undefined
  }

  #follow(ctx: RunContext): Watched {
    const known = this.#runs.get(ctx)
    const watched = known ?? {
      tally: new Tally(this.#settings),
      stuck: 0,
      noticePending: false,
      judged: 0,
    }
    if (!known) this.#runs.set(ctx, watched)
    watched.tally.follow(ctx.messages)
    return watched
  }
}
