import dbPglite from '@amodal/plugin-db-pglite'
import { Database, explain, JobQueue, Kernel, silentLogger, unwrap, use } from '@amodal/sdk'
import { StoredQueue } from '@amodal/sdk/queue'
import { movableClock, pluginContract, queueContract } from '@amodal/sdk/testing'
import { queueDatabase } from '../src/index.ts'
import { DatabaseStorage } from '../src/storage.ts'

const LEASE_MS = 3_000

pluginContract(queueDatabase, { with: [use(dbPglite, { dataDir: 'memory://' })] })

queueContract('queue-database on db-pglite', {
  make: async () => {
    const clock = movableClock()
    const kernel = unwrap(
      await Kernel.create(
        [use(dbPglite, { dataDir: 'memory://' }), use(queueDatabase, { leaseMs: LEASE_MS })],
        { clock },
      ),
      explain,
    )
    const peer = new StoredQueue({
      storage: new DatabaseStorage(kernel.scope.get(Database), LEASE_MS),
      clock,
      log: silentLogger,
      work: true,
      pollMs: 2_000,
      storageMs: 5_000,
    })
    return {
      queue: kernel.scope.get(JobQueue),
      peer,
      clock,
      leaseMs: LEASE_MS,
      close: async () => {
        await peer.close()
        await kernel.close()
      },
    }
  },
})
