import { slot, type RouteHandler } from '@amodal/sdk'

/** The feedback of a running agent, for its command line. */
export interface Feedback {
  /** `/api/feedback`. */
  readonly routes: RouteHandler
}
export const Feedback = slot.kernel<Feedback>('feedback')
