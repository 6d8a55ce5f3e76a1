import { definePlugin, isId, LOCAL_TENANT, Tenancy } from '@amodal/sdk'
import { z } from 'zod'
import { ScopeTenancy } from './scope-tenancy.ts'

const scope = z.string().refine(isId, 'must be 1 to 128 letters, digits or any of . : @ _ -')

/**
 * Resolves the tenant of a request: that of its credential, or of the `scope_id` in the request.
 *
 * @example
 * use(tenant, { requireScope: true, sessions: 'principal' })
 */
export const tenant = definePlugin({
  name: 'tenant',
  version: '0.1.0',
  provides: [Tenancy],
  config: z.strictObject({
    /** A request whose credential names no tenant must name one. */
    requireScope: z.boolean().default(false),
    /** The tenant of requests that name none. */
    default: scope.default(LOCAL_TENANT),
    /** The valid scopes; all when omitted. */
    known: z.array(scope).optional(),
    /** Who sees a session: every principal of the tenant, or only the one that started it. */
    sessions: z.enum(['tenant', 'principal']).default('tenant'),
  }),
  setup({ config, provide }) {
    provide(Tenancy, () => new ScopeTenancy(config))
  },
})

export default tenant
