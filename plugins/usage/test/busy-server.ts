import { SessionStore, sessionId, tenantId, use } from '@amodal/sdk'
import { Random } from '../../../tests/support/random.ts'
import { BusyServer, onPostgres, RUNTIME, TENANTS } from './busy-world.ts'
import { killingAt } from './kill-points.ts'
import { start } from './world.ts'

/** Conversations at the same time. */
const BUSY = 3

/** A server that talks with itself until it comes to the point at which it is killed. */
const options = BusyServer.parse(JSON.parse(process.argv[2] ?? ''))
const { principal } = options
const door = await start({
  storage: onPostgres(options.databaseUrl),
  model: { url: options.modelUrl },
  runtime: RUNTIME,
  entries: [use(killingAt(options.point))],
})

const sessions = new Map<string, string[]>()
for (const tenant of TENANTS) {
  const store = door.scope.get(SessionStore)
  const page = await store.list(tenantId(tenant), { limit: 30 }, AbortSignal.timeout(30_000))
  const own = page.ok ? page.value.rows.filter((row) => row.principal === principal) : []
  sessions.set(
    tenant,
    own.map(({ session }) => session),
  )
}

async function talk(random: Random): Promise<never> {
  for (let n = 1; ; n++) {
    const tenant = random.pick(TENANTS)
    const idle = sessions.get(tenant) ?? []
    const at = random.within(0, Math.max(0, idle.length - 1))
    const [session] = random.chance(0.7) ? idle.splice(at, 1) : []
    const turn = await door.client({ tenant, principal }).ask({
      text: `Message ${n}`,
      ...(session !== undefined && { session: sessionId(session) }),
    })
    // A session that was set aside gets no further messages.
    if (turn.ok && turn.value.reason !== undefined) idle.push(turn.value.session)
    if (n % 2 === 0) await door.json('/api/usage', { tenant }) // writes the rows that wait
  }
}

const random = new Random(options.seed)
await Promise.all(Array.from({ length: BUSY }, (_, n) => talk(random.branch(`${n}`))))
