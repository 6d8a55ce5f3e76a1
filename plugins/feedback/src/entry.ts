import type { Failure, Result } from '@amodal/sdk'
import type { RatedAnswer } from './rated-answer.ts'

export type Rating = 'up' | 'down'

/** What somebody thinks of an answer, with the answer as it was when they said so. */
export interface FeedbackEntry extends RatedAnswer {
  readonly id: string
  readonly session: string
  readonly principal: string
  readonly rating: Rating
  readonly categories: readonly string[]
  /** Empty where nothing was written. */
  readonly comment: string
  readonly tags: readonly string[]
  /** ms since the epoch, when it was given or replaced. */
  readonly at: number
}

export interface FeedbackFilter {
  readonly session?: string
  readonly rating?: Rating
  readonly category?: string
  /** ms since the epoch; the entries of `from` are among them, those of `to` are not. */
  readonly from?: number
  readonly to?: number
  readonly principal?: string
}

/** The place of an entry in the list, the newest first. */
export interface Place {
  readonly at: number
  readonly id: string
}

interface Count {
  readonly rating: Rating
  readonly count: number
}
export interface FeedbackCounts {
  /** Of each day (`2026-05-01`, UTC) that has any, the newest first. */
  readonly days: readonly (Count & { readonly day: string })[]
  readonly categories: readonly (Count & { readonly category: string })[]
}

/** Whose opinion of which answer. */
export interface EntryKey {
  readonly session: string
  readonly run: string
  readonly principal: string
}

type Outcome<T> = Promise<Result<T, Failure>>

/** The feedback of one tenant. */
export interface FeedbackShelf {
  /**
   * Adds an entry, or replaces the one of the same session, run and principal.
   *
   * @returns the entry as it is kept: one that is replaced keeps its id
   */
  put(entry: FeedbackEntry, signal: AbortSignal): Outcome<FeedbackEntry>
  /** @returns whether there was one */
  remove(key: EntryKey, signal: AbortSignal): Outcome<boolean>
  /** The newest first. @param after the last one of the page before */
  list(
    filter: FeedbackFilter,
    page: { readonly limit: number; readonly after?: Place },
    signal: AbortSignal,
  ): Outcome<readonly FeedbackEntry[]>
  counts(filter: FeedbackFilter, signal: AbortSignal): Outcome<FeedbackCounts>
  /** Removes what was said of a session. */
  forget(session: string, signal: AbortSignal): Outcome<void>
}
