import {
  err,
  failure,
  modelErrorOf,
  NO_USAGE,
  ok,
  PromptCompiler,
  SUMMARY_HEAD,
  type Compaction,
  type Compactor,
  type Counted,
  type Failure,
  type Message,
  type ModelCall,
  type Result,
  type RunContext,
} from '@amodal/sdk'
import { boundaryIn } from './boundary.ts'
import { digest, requestsIn } from './digest.ts'
import type { CompactionSettings } from './settings.ts'
import { charsOf, overheadTokens, tokensOf } from './sizes.ts'
import { EMPTY, fitting, merged, snapshotIn, summaryOf, type Snapshot } from './snapshot.ts'
import { summarise, type Summarised } from './summarise.ts'
import { View, type ViewLimits } from './view.ts'

/** Where no prompt compiler knows the window. */
const WINDOW = 200_000
/** The least share of the window that compacting has to free; otherwise it is not attempted. */
const PROGRESS = 0.05
/** The newest step may take so much of the window: the model has not seen what came of it. */
const STEP = 0.4
/** An output is bulky from this share of the window on, or so many tokens. */
const BULKY = 0.04
const MOST_BULKY = 2_000
const NO_SECTIONS = { sections: [] }

/** What is known of one conversation while it is in memory; all of it can be found out again. */
interface Watched {
  view: View
  window: number
  overhead: number
  tokens: number
  resultChars: number
  /** Compacting won nothing at this size. */ inVain: number
}

/** Snapshots in place of old messages, masks in place of old outputs, and a cap for each result. */
export class SnapshotCompactor implements Compactor {
  readonly #settings: CompactionSettings
  readonly #watched = new WeakMap<readonly Message[], Watched>()
  #limits: (ViewLimits & { readonly window: number }) | undefined

  constructor(settings: CompactionSettings) {
    this.#settings = settings
  }

  fit(call: ModelCall, counted: Counted | undefined, ctx: RunContext): ModelCall | undefined {
    const watched = this.#watch(call.messages, ctx)
    watched.overhead = overheadTokens(call)
    const view = this.#follow(watched, call.messages)
    const estimate = watched.overhead + view.tokens
    // The provider has counted what it was shown; what came since, and what was masked since, is
    // estimated.
    watched.tokens = counted
      ? Math.max(estimate, counted.tokens + view.tokensFrom(counted.messages) - view.freed)
      : estimate
    if (
      watched.tokens > watched.window * this.#settings.at &&
      watched.tokens > watched.inVain + watched.window * PROGRESS
    )
      return undefined
    return view.changed ? { ...call, messages: [...view.shown] } : call
  }

  overflowed(failed: Failure): boolean {
    return modelErrorOf(failed).class === 'overflow'
  }

  async compact(
    cause: 'threshold' | 'overflow',
    tries: number,
    ctx: RunContext,
  ): Promise<Result<Compaction | undefined, Failure>> {
    const watched = this.#watch(ctx.messages, ctx)
    this.#follow(watched, ctx.messages)
    if (tries === 0) {
      const made = await this.#replace(cause, watched, ctx)
      if (made || cause === 'threshold') return ok(made)
    }
    if (cause === 'threshold') return ok(this.#inVain(watched))
    if (watched.resultChars > this.#settings.overflowChars) {
      watched.resultChars = this.#settings.overflowChars
      watched.view = this.#newView(watched)
      return ok(undefined)
    }
    return err(
      failure(
        'CONTEXT_OVERFLOW',
        'the conversation is too long for the model, also after it was summed up and its tool results were cut',
      ),
    )
  }

  /** The first level: a snapshot in place of all but the newest messages. */
  async #replace(
    cause: 'threshold' | 'overflow',
    watched: Watched,
    ctx: RunContext,
  ): Promise<Compaction | undefined> {
    const { messages } = ctx
    const { view, overhead } = watched
    const { keep, snapshot: share, at } = this.#settings
    // A window that a provider refuses to fill is smaller than it is thought to be.
    const window = cause === 'overflow' ? Math.min(watched.window, watched.tokens) : watched.window
    const old = snapshotIn(messages[0])
    // What the provider counts, over what is estimated.
    const scale = Math.max(1, watched.tokens / Math.max(1, overhead + view.tokens))
    const tokensFrom = (from: number): number => view.tokensFrom(from) * scale
    // Where a call was refused, results that the model has not seen are cut next, and not lost.
    const first = boundaryIn(
      messages,
      tokensFrom,
      {
        newest: window * keep,
        step: cause === 'overflow' ? Infinity : window * Math.max(keep, STEP),
      },
      old ? 1 : 0,
    )
    if (first === undefined) return this.#inVain(watched)
    const dropped = messages.slice(old ? 1 : 0, first)
    // A summary that takes as much room as it makes is no progress.
    const won = view.tokens * scale - tokensFrom(first)
    if (cause === 'threshold' && won < window * PROGRESS) return this.#inVain(watched)

    ctx.progress({
      type: 'compaction_start',
      estimated_tokens: watched.tokens,
      threshold: Math.floor(watched.window * at),
    })
    const before = old ?? EMPTY
    const { notes, settled, usage } = await this.#notes(dropped, before, window, ctx)
    const snapshot = fitting(
      merged(before, { ...notes, requests: requestsIn(dropped) }, settled),
      charsOf(window * share),
    )
    const summary = summaryOf(snapshot)
    const after = Math.ceil(
      (overhead + tokensOf(SUMMARY_HEAD.length + summary.length)) * scale + tokensFrom(first),
    )
    // Also where it is still too large: it is tried again when there is more to win.
    watched.inVain =
      after > watched.window * at || after > watched.tokens * (1 - PROGRESS) ? after : 0
    return { summary, keep: messages.length - first, usage, before: watched.tokens, after }
  }

  /**
   * The notes of a model, or a digest made without a model if that fails. The run continues either
   * way.
   */
  async #notes(
    dropped: readonly Message[],
    before: Snapshot,
    window: number,
    ctx: RunContext,
  ): Promise<Summarised> {
    const summary = await summarise(dropped, before, charsOf(window / 2), ctx)
    if (summary.ok) return summary.value
    ctx.log.warn('compaction.summary_failed', {
      code: summary.error.code,
      error: summary.error.message,
    })
    return { notes: digest(dropped), settled: [], usage: NO_USAGE }
  }

  #inVain(watched: Watched): undefined {
    watched.inVain = watched.tokens
  }

  #watch(messages: readonly Message[], ctx: RunContext): Watched {
    const known = this.#watched.get(messages)
    const window = ctx.scope.find(PromptCompiler)?.render(NO_SECTIONS, ctx.bundle).window || WINDOW
    if (known?.window === window) return known
    const { resultChars } = this.#settings
    const watched = {
      window,
      overhead: 0,
      tokens: 0,
      resultChars,
      inVain: 0,
      view: this.#newView({ window, resultChars }),
    }
    this.#watched.set(messages, watched)
    return watched
  }

  #newView({ window, resultChars }: Pick<Watched, 'window' | 'resultChars'>): View {
    const { maskAt, protect } = this.#settings
    // Of the newest view: models of one agent seldom differ in their window.
    if (this.#limits?.window !== window || this.#limits.resultChars !== resultChars) {
      this.#limits = {
        window,
        maskAt: window * maskAt,
        protect: window * protect,
        bulky: Math.min(window * BULKY, MOST_BULKY),
        resultChars,
      }
    }
    return new View(this.#limits)
  }

  /** The view of these messages; a new one where the beginning is another: they were compacted. */
  #follow(watched: Watched, messages: readonly Message[]): View {
    if (!watched.view.goesOnWith(messages)) watched.view = this.#newView(watched)
    watched.view.follow(messages, watched.overhead)
    return watched.view
  }
}
