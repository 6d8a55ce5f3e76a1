import {
  Authenticator,
  definePlugin,
  err,
  failure,
  ok,
  principalId,
  tenantId,
  use,
  type Entry,
  type Identity,
  type RouteContext,
  type RouteTable,
} from '@amodal/sdk'
import { mounting } from './server.ts'

export const ANN: Identity = {
  principal: principalId('ann'),
  roles: ['r'],
  scopes: ['notes'],
  tenant: tenantId('acme'),
}
export const ROOT: Identity = {
  principal: principalId('root'),
  roles: [],
  scopes: ['*'],
  choosesTenant: true,
}
const people = new Map([
  ['ann', ANN],
  ['root', ROOT],
])

/** Knows people by their names. */
export const knowing = (configured: () => boolean | undefined = () => true): Entry =>
  use(
    definePlugin({
      name: 'names',
      version: '1.0.0',
      provides: [Authenticator],
      setup: ({ provide }) =>
        provide(Authenticator, () => ({
          configured,
          async authenticate({ headers }) {
            const name = headers.get('authorization')
            if (name === null) return ok(undefined)
            if (name === 'later')
              return err(failure('STORE_FAILED', 'the names cannot be read now'))
            const identity = people.get(name)
            return identity
              ? ok(identity)
              : err(failure('UNAUTHENTICATED', 'nobody is called that'))
          },
        })),
    }),
  )

export const notes = (
  mount: (table: RouteTable) => void = (table) => {
    table.mount('/notes', {
      fetch: (_request, { identity }: RouteContext) => Response.json(identity?.principal ?? null),
    })
    table.mount(
      '/open',
      {
        fetch: (_request, { identity }: RouteContext) => Response.json(identity?.principal ?? null),
      },
      { open: true },
    )
  },
): Entry => use(mounting('notes', mount))

export const by = (name: string): RequestInit => ({ headers: { authorization: name } })
