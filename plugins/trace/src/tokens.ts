import { slot, type RouteHandler } from '@amodal/sdk'

/** The routes of traces, for the command in a process without a server. */
export interface TraceRoutes {
  readonly routes: RouteHandler
}
export const TraceRoutes = slot.kernel<TraceRoutes>('trace-routes')
