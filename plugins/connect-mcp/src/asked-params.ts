/** A question on the wire. */
export interface AskedParams {
  readonly message: string
  readonly requestedSchema?: unknown
}
