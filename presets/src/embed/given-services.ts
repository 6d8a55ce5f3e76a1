import { BundleSource, definePlugin, Log, ok, replace, SessionStore, use, StoreBackend, type AgentBundle, type Entry, type Logger, type Plugin } from '@amodal/sdk'

// What an embedding hands in as a value, in the slot that it fills.

export const givenBundle = (bundle: AgentBundle): Plugin => definePlugin({
  name: 'given-bundle', version: '1.0.0', provides: [BundleSource],
  setup({ provide }) { provide(BundleSource, () => ({ where: 'code', load: () => Promise.resolve(ok(bundle)) })) },
})

export const givenLog = (logger: Logger): Plugin => definePlugin({
  name: 'given-log', version: '1.0.0', provides: [Log],
  setup({ provide }) { provide(Log, () => logger) },
})

/** What is asked of a `Pool` of `pg`; who has one has the package. */
export interface PgPool {
  readonly options: object
  readonly connect: unknown
}

export async function givenStoreBackend(backend: StoreBackend | PgPool): Promise<readonly Entry[]> {
  if (!('connect' in backend)) {
    return [replace('stores-memory', definePlugin({
      name: 'given-store-backend', version: '1.0.0', provides: [StoreBackend],
      setup({ provide }) { provide(StoreBackend, () => backend) },
    }))]
  }
  const [{ default: dbPostgres }, { default: storesDatabase }] = await Promise.all([import('@amodal/plugin-db-postgres'), import('@amodal/plugin-stores-database')])
  return [use(dbPostgres, { pool: backend }), replace('stores-memory', storesDatabase)]
}

export const givenSessionStore = (store: SessionStore): Entry => replace('sessions-memory', definePlugin({
  name: 'given-session-store', version: '1.0.0', provides: [SessionStore],
  setup({ provide }) { provide(SessionStore, () => store) },
}))
