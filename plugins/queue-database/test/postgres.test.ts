import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import dbPostgres from '@amodal/plugin-db-postgres'
import secretsEnv from '@amodal/plugin-secrets-env'
import { explain, JobQueue, Kernel, unwrap, use } from '@amodal/sdk'
import { movableClock, queueContract, type DoomedWorker } from '@amodal/sdk/testing'
import { afterAll, beforeAll } from 'vitest'
import { startPostgres, type Postgres } from '../../../tests/support/postgres.ts'
import { queueDatabase } from '../src/index.ts'

/** Short, for a test that waits for it to pass several times. */
const LEASE_MS = 3_000

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
}, 120_000)
afterAll(() => postgres.stop())

/** Ends when the process is dead, however that comes. */
async function doomed(url: string, queue: string): Promise<DoomedWorker> {
  const script = join(import.meta.dirname, 'worker-process.ts')
  const child = spawn(
    process.execPath,
    ['--conditions=@amodal/source', script, url, queue, String(LEASE_MS)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exited = once(child, 'exit')
  const began = (async () => {
    for await (const chunk of child.stdout) if (String(chunk).includes('began')) return
    throw new Error('the worker process ended before it began a job')
  })()
  return {
    began,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

// Two kernels on one database, as two instances behind a load balancer.
queueContract('queue-database on db-postgres', {
  make: async () => {
    const url = await postgres.createDatabase()
    const clock = movableClock()
    const instance = async (): Promise<Kernel> =>
      unwrap(
        await Kernel.create(
          [
            use(secretsEnv, { env: {} }),
            use(dbPostgres, { url, max: 4 }),
            use(queueDatabase, { leaseMs: LEASE_MS }),
          ],
          { clock },
        ),
        explain,
      )
    const [here, there] = [await instance(), await instance()]
    return {
      queue: here.scope.get(JobQueue),
      peer: there.scope.get(JobQueue),
      clock,
      leaseMs: LEASE_MS,
      doomed: (queue) => doomed(url, queue),
      close: async () => {
        await Promise.all([here.close(), there.close()])
      },
    }
  },
})
