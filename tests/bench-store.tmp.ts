import dbPostgres from '@amodal/plugin-db-postgres'
import dbPglite from '@amodal/plugin-db-pglite'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessions from '@amodal/plugin-sessions'
import { explain, Kernel, SessionStore, unwrap, use, tenantId, sessionId, instanceId } from '@amodal/sdk'
import { startPostgres } from './support/postgres.ts'
import { readFileSync, readdirSync } from 'node:fs'
const [,, kind = 'pg', flightsS = '1', nS = '64', msS = '4000'] = process.argv
const N = Number(nS), ms = Number(msS)
const pgs = kind === 'pg' ? await startPostgres({ durable: true }) : undefined
const url = pgs ? await pgs.createDatabase() : ''
const kernel = unwrap(await Kernel.create(pgs ? [use(secretsEnv), use(dbPostgres, { url, max: 6 }), use(sessions, { flights: Number(flightsS) })] : [use(dbPglite, { dataDir: 'memory://' }), use(sessions, { flights: Number(flightsS) })]), explain)
const store = kernel.scope.get(SessionStore)
const signal = new AbortController().signal
const owner = instanceId('me')
const um = JSON.stringify({ v: 1, kind: 'user_message', run: 'r-123456', at: Date.now(), key: 'k', text: 'hello there', principal: 'local', bundle: 'x' })
const body = JSON.stringify({ v: 1, kind: 'model_reply', run: 'r-123456', at: Date.now(), step: 1, text: 'lorem ipsum dolor sit amet '.repeat(12), calls: [], usage: { input: 10, output: 20 }, model: { provider: 'x', model: 'y' }, finish: 'stop', ms: 12 })
let k = 0
const key = () => crypto.randomUUID()
const turn = async (i: number) => {
  const ref = { tenant: tenantId('local'), session: sessionId(`s-${i}`) }
  const kk = key()
  const a = await store.accept({ ...ref, key: kk, body: um, control: false, owner, leaseMs: 20000, create: { principal: 'p', title: 't', meta: '{}' } }, signal)
  if (!a.ok || !a.value.claimed || !a.value.lane) throw new Error(JSON.stringify(a))
  const { fence, head } = a.value.lane
  const c = await store.commit({ ...ref, fence, base: head, key: key(), state: '{"v":1,"kind":"idle"}', entries: [{ body: um }, { body }, { body: um }], took: { messages: [kk], controls: [] }, erase: [], end: 'end', leaseMs: 20000, add: { messages: 2, input: 10, output: 20 }, model: 'm' }, signal)
  if (!c.ok || c.value.verdict !== 'ok' || !c.value.released) throw new Error(JSON.stringify(c))
  k++
}
const pgCpu = () => { if (!pgs) return 0; let n = 0; for (const p of readdirSync('/proc')) if (/^\d+$/.test(p)) { try { const f = readFileSync(`/proc/${p}/stat`, 'utf8'); if (f.includes('(postgres)') && readFileSync(`/proc/${p}/cmdline`,'utf8').length) { const s = f.slice(f.lastIndexOf(')') + 2).split(' '); n += (Number(s[11]) + Number(s[12])) * 10 } } catch {} } return n }
const run = async (t: number) => { const end = performance.now() + t; await Promise.all(Array.from({ length: N }, async (_, i) => { for (let x = 0; performance.now() < end; x++) await turn(i + N * (x % 5)) })) }
await run(1500)
k = 0
const c0 = pgCpu(), u0 = process.cpuUsage(), t0 = performance.now()
await run(ms)
const u = process.cpuUsage(u0), s = (performance.now() - t0) / 1000
console.log(kind, 'flights', flightsS, 'at once', N, 'pairs/s', Math.round(k / s), 'node us/pair', Math.round((u.user + u.system) / k), 'pg us/pair', Math.round((pgCpu() - c0) * 1000 / k), 'ms/pair', (N * s * 1000 / k).toFixed(1))
await kernel.close(); await pgs?.stop()
