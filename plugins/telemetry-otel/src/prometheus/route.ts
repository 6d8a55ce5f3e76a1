import { failure, messageOf, type RouteContext, type RouteHandler } from '@amodal/sdk'
import { describeRoutes, failed } from '@amodal/plugin-http/tokens'
import { CONTENT_TYPE } from './content-type.ts'
import { ROUTE_DOCS } from './route-docs.ts'

export const PREFIX = '/metrics'

/** @param read the metrics as text; `undefined` until the server has started */
export function metricsRoute(read: () => Promise<string> | undefined): RouteHandler {
  return describeRoutes(
    {
      async fetch({ method }: Request, { identity }: RouteContext): Promise<Response> {
        if (method !== 'GET')
          return failed(failure('NOT_ALLOWED', `${method} is not offered here; GET is`), {
            allow: 'GET',
          })
        if (identity?.tenant !== undefined)
          return failed(
            failure(
              'FORBIDDEN_SCOPE',
              'metrics are of all tenants: use a credential that belongs to no single one',
            ),
          )
        const text = await read()?.catch((cause: unknown) => ({ problem: messageOf(cause) }))
        if (text === undefined)
          return failed(failure('KERNEL_CLOSED', 'the server starts or stops'))
        return typeof text === 'string'
          ? new Response(text, { headers: { 'content-type': CONTENT_TYPE } })
          : failed(failure('INTERNAL', `the metrics cannot be read: ${text.problem}`))
      },
    },
    ROUTE_DOCS,
  )
}
