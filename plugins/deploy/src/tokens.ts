import { slot, type RouteHandler } from '@amodal/sdk'

/** The routes of deployments, for commands that run without a server. */
export interface Deployments {
  readonly routes: RouteHandler
}
export const Deployments = slot.kernel<Deployments>('deployments')
