/** The token of every agent folder here, which whoever answers a question has to send. */
export const LOCAL_TOKEN = `amodal_${'c'.repeat(12)}_${'c'.repeat(43)}`

/** Of JSON that is sent with it. */
export const LOCAL_HEADERS = {
  'content-type': 'application/json',
  authorization: `Bearer ${LOCAL_TOKEN}`,
} as const

/** What the tests and a server process tell each other over the channel between them. */

import type { Row } from '@amodal/sdk'

/** Statements of the journal that a point may stand at. */
export type StatementKind = 'accept' | 'commit' | 'renew' | 'takeover'

/** A place where something happens to a server. */
export interface Point {
  readonly id: string
  /**
   * Only the session that takes a message with this text in it; any session where it is left out.
   */
  readonly marker?: string
  readonly at:
    /**
     * The n-th statement of its kind in its session, counted from 1; a repetition of a statement is
     * still the same one. Takeovers are counted where they took something; `before` has only 0,
     * which is any try of one. All renewals of a lease are its first.
     */
    | { readonly statement: StatementKind; readonly n: number }
    /** A call of an outside tool, by its marker. */
    | { readonly call: string }
  /** Before it is sent, or after it has been answered. */
  readonly when: 'before' | 'after'
  readonly then:
    /** Waits there until it is released. */
    | { readonly do: 'hold' }
    /** The process kills itself. */
    | { readonly do: 'kill' }
    /** The connection is said to have broken, for so many tries. Statements only. */
    | { readonly do: 'lose'; readonly times: number }
}

export type Order =
  | { readonly do: 'start' }
  | { readonly do: 'arm'; readonly points: readonly Point[] }
  | { readonly do: 'release'; readonly id: string }
  /** The next writes seem to fail. */
  | { readonly do: 'lose'; readonly when: Point['when']; readonly times: number }
  /** Its clocks jump (`clock.ts`). */
  | { readonly do: 'jump'; readonly wallMs: number; readonly monotonicMs: number }
  | {
      readonly do: 'query'
      readonly n: number
      readonly sql: string
      readonly parameters: readonly unknown[]
    }
  /** What the journal's statements have been for the session of a message. */
  | { readonly do: 'trace'; readonly n: number; readonly marker: string }

/** A statement as it passed: its kind, its number in the session, and what it wrote. */
export interface Passed {
  readonly kind: StatementKind
  readonly n: number
  readonly wrote: string
}

export type Report =
  /** Everything is loaded; nothing has started. */
  | { readonly told: 'loaded' }
  | { readonly told: 'ready'; readonly url: string }
  | { readonly told: 'failed'; readonly message: string }
  | { readonly told: 'reached'; readonly id: string }
  | { readonly told: 'rows'; readonly n: number; readonly rows: readonly Row[] }
  | { readonly told: 'no rows'; readonly n: number; readonly message: string }
  | { readonly told: 'trace'; readonly n: number; readonly passed: readonly Passed[] }
