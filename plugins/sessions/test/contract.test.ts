import dbPglite from '@amodal/plugin-db-pglite'
import { Database, explain, Kernel, SessionStore, unwrap, use } from '@amodal/sdk'
import { sessionStoreContract } from '@amodal/sdk/testing'
import { sessions } from '../src/index.ts'
import { DatabaseSessions } from '../src/store.ts'

sessionStoreContract('sessions on db-pglite', {
  make: async () => {
    const kernel = unwrap(
      await Kernel.create([
        use(dbPglite, { dataDir: 'memory://' }),
        use(sessions, { instances: 'many' }),
      ]),
      explain,
    )
    const options = {
      notifyInstances: true,
      flights: 2,
      timeoutMs: 10_000,
      parkedTtlMs: 60_000,
      keyTtlMs: 60_000,
    }
    const peer = new DatabaseSessions(kernel.scope.get(Database), options)
    return {
      store: kernel.scope.get(SessionStore),
      peer,
      close: async () => {
        await kernel.close()
      },
    }
  },
})
