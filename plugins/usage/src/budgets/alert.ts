/** A share of a budget of which somebody was told. */
export interface Alert {
  readonly budget: string
  readonly period: string
  readonly percent: number
  /** ms since the epoch. */
  readonly at: number
  /** Billionths of a dollar, at that time. */
  readonly spent: number
}
