/** Whether a check has passed, and what was seen. */
export interface Verdict {
  readonly passed: boolean
  readonly reason: string
}
