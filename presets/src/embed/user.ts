/** Who a session is for, as your own process has found out. */
export interface User {
  readonly userId?: string
  /** Whose data; one tenant for all where it is left out. */
  readonly tenant?: string
  /** What may be used: names of role files. */
  readonly roles?: readonly string[]
}
