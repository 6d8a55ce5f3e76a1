import { definePlugin, isId, LOCAL_TENANT, Tenancy } from '@amodal/sdk'
import { z } from 'zod'
import { ScopeTenancy } from './scope-tenancy.ts'

const scope = z.string().refine(isId, 'must be 1 to 128 letters, digits or any of . : @ _ -')

/**
 * Says whose data a request is about: its credential's, or that of the `scope_id` it names.
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
    /** Whose data, where nothing says it. */
    default: scope.default(LOCAL_TENANT),
    /** The scopes there are; any, where it is left out. */
    known: z.array(scope).optional(),
    /** Who sees a session: everybody of the tenant, or only who began it. */
    sessions: z.enum(['tenant', 'principal']).default('tenant'),
  }),
  setup({ config, provide }) {
    provide(Tenancy, () => new ScopeTenancy(config))
  },
})

export default tenant
