import { slot, type RouteHandler } from '@amodal/sdk'

/** The experiments of a running agent, for its command line. */
export interface Experiments {
  /** `/api/experiments`, where a promotion changes the files of the agent. */
  readonly routes: RouteHandler
}
export const Experiments = slot.kernel<Experiments>('experiments')
