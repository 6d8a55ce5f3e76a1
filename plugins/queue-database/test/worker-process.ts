import dbPostgres from '@amodal/plugin-db-postgres'
import secretsEnv from '@amodal/plugin-secrets-env'
import { explain, JobQueue, Kernel, unwrap, use } from '@amodal/sdk'
import { queueDatabase } from '../src/index.ts'

/**
 * A process that begins one job of a queue and never ends it: its arguments are the URL of the
 * database, the queue and the ms of a lease.
 */
const [url = '', queue = '', leaseMs = ''] = process.argv.slice(2)
const kernel = unwrap(
  await Kernel.create([
    use(secretsEnv, { env: {} }),
    use(dbPostgres, { url, max: 2 }),
    use(queueDatabase, { leaseMs: Number(leaseMs) }),
  ]),
  explain,
)
unwrap(
  kernel.scope.get(JobQueue).work({
    queue,
    concurrency: 1,
    handler: () => {
      process.stdout.write('began\n')
      return new Promise(() => undefined)
    },
  }),
  ({ message }) => message,
)
setInterval(() => undefined, 60_000)
