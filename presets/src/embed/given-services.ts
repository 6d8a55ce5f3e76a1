import { BundleSource, definePlugin, Log, ok, replace, SessionStore, type AgentBundle, type Entry, type Logger, type Plugin } from '@amodal/kernel'
import { StoreBackend } from '@amodal/sdk'

// What an embedding hands in as a value, in the slot that it fills.

export const givenBundle = (bundle: AgentBundle): Plugin => definePlugin({
  name: 'given-bundle', version: '1.0.0', provides: [BundleSource],
  setup({ provide }) { provide(BundleSource, () => ({ where: 'code', load: () => Promise.resolve(ok(bundle)) })) },
})

export const givenLog = (logger: Logger): Plugin => definePlugin({
  name: 'given-log', version: '1.0.0', provides: [Log],
  setup({ provide }) { provide(Log, () => logger) },
})

export const givenStoreBackend = (backend: StoreBackend): Entry => replace('stores-memory', definePlugin({
  name: 'given-store-backend', version: '1.0.0', provides: [StoreBackend],
  setup({ provide }) { provide(StoreBackend, () => backend) },
}))

export const givenSessionStore = (store: SessionStore): Entry => replace('sessions-memory', definePlugin({
  name: 'given-session-store', version: '1.0.0', provides: [SessionStore],
  setup({ provide }) { provide(SessionStore, () => store) },
}))
