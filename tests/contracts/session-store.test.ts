import dbPostgres from '@amodal/plugin-db-postgres'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessions from '@amodal/plugin-sessions'
import { explain, Kernel, SessionStore, unwrap, use } from '@amodal/sdk'
import { sessionStoreContract } from '@amodal/sdk/testing'
import { startPostgres } from '../support/postgres.ts'

// Two kernels on one database, as two instances behind a load balancer.
sessionStoreContract('sessions on db-postgres', {
  make: async () => {
    const postgres = await startPostgres()
    const url = await postgres.createDatabase()
    const instance = async (): Promise<Kernel> => unwrap(await Kernel.create([use(secretsEnv), use(dbPostgres, { url, max: 4 }), use(sessions)]), explain)
    const here = await instance()
    const there = await instance()
    return {
      store: here.scope.get(SessionStore), peer: there.scope.get(SessionStore),
      close: async () => {
        await Promise.all([here.close(), there.close()])
        await postgres.stop()
      },
    }
  },
})
