import type { JsonObject } from '@amodal/sdk'
import type { SessionTrace } from '../read-trace.ts'
import type { CallThing, Shown } from '../thing.ts'

export interface DetailParts {
  readonly trace: SessionTrace
  /** The call that a question is about. */
  readonly call: Shown<CallThing> | undefined
  /** Large values are not cut. */
  readonly full: boolean
  /** What was sent to the model, for the row of a reply. */
  readonly sent: JsonObject | undefined
}
