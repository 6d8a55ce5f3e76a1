import { join, resolve } from 'node:path'
import { AuditTrail, Clock, Commands, Database, definePlugin, Erasers, Health, LOCAL_TENANT, Migrations, RefusalListeners, Secrets, SessionStore, systemClock } from '@amodal/sdk'
import { z } from 'zod'
import { catchUp } from './catch-up.ts'
import { auditCommand } from './command.ts'
import { DatabaseChains } from './database-store.ts'
import { auditEraser } from './eraser.ts'
import { LineFile } from './line-file.ts'
import { MemoryChains } from './memory-store.ts'
import { MIGRATIONS } from './migrations.ts'
import { Recovery } from './recovery.ts'
import { refusals } from './refusals.ts'
import { Sealing } from './sealing.ts'
import { KEY_VARIABLE } from './signer.ts'
import { LineSinks, type TakeLine } from './sinks.ts'
import { auditHooks } from './taps.ts'
import { Trail } from './trail.ts'

/**
 * Everything that matters, in a hash chain per tenant with signed checkpoints. Nothing is changed outside before its
 * line is kept: where the log cannot be written, calls that change something are refused.
 */
export const audit = definePlugin({
  name: 'audit',
  version: '0.1.0',
  optional: { database: Database, sessions: SessionStore, clock: Clock, secrets: Secrets },
  provides: [AuditTrail],
  config: z.strictObject({
    dir: z.string().optional().describe('The agent folder: checkpoints are kept in its `.amodal/audit`. Without one nothing is signed.'),
    checkpoints: z.string().min(1).optional().describe('A second folder for checkpoints, best on another disk; relative to the agent folder.'),
    memory: z.boolean().default(false).describe('Lines stay in this process: nothing is signed, and nothing is added to `file`.'),
    file: z.string().min(1).optional().describe('Every line is added to this file too, as JSON; relative to the agent folder.'),
    log: z.boolean().default(false).describe('Every line goes into the log too.'),
    onLine: z.custom<TakeLine>((value) => typeof value === 'function', 'a function that takes a line').optional().describe('For an embedding: told of every line.'),
  }),
  setup({ config, deps: { database, sessions, secrets, clock = systemClock }, add, provide, hooks, onBoot, log }) {
    const inFolder = (path: string): string => resolve(config.dir ?? '.', path)
    const own = config.dir === undefined ? undefined : join(config.dir, '.amodal', 'audit')
    const copies = config.checkpoints === undefined ? undefined : inFolder(config.checkpoints)
    const sealing = !database || config.memory || own === undefined ? undefined
      : new Sealing({ folder: own, copies, key: () => secrets?.get(KEY_VARIABLE), exclusive: database.exclusive, clock, log })
    const chains = database && new DatabaseChains(database, sealing)
    const recovery = sealing && chains && database && new Recovery({ chains, sealing, exclusive: database.exclusive, clock, log })
    const store = chains ?? new MemoryChains()
    const file = config.file === undefined || config.memory ? undefined : new LineFile(inFolder(config.file), store, database !== undefined)
    const sinks = new LineSinks({ ...config, file }, log)
    const trail = new Trail(recovery?.first(store) ?? store, log, (tenant, lines) => {
      sinks.take(tenant, lines)
      const last = lines.at(-1)
      if (last) sealing?.count(tenant, last)
    })
    add(Migrations, 'audit', MIGRATIONS)
    add(Commands, 'ops audit', auditCommand({ own, copies }, () => clock.now()))
    add(Health, 'audit', () => {
      const problem = trail.problem ?? sealing?.problem
      return { facts: { audit: trail.problem ? 'unavailable' : 'ok' }, ...(problem && { problem: `audit: ${problem.message}` }) }
    })
    provide(AuditTrail, () => trail)
    if (database) add(Erasers, 'audit', auditEraser({ sealing, file, clock }))
    const life = new AbortController()
    let begun = false
    const turnedAway = refusals(trail, clock)
    add(RefusalListeners, 'audit', turnedAway.hear)
    auditHooks(hooks, trail, clock)
    hooks.bundle.used.tap(({ hash, manifest }) => {
      // A command that only reads uses no bundle, and leaves the log as it is.
      if (!begun) {
        begun = true
        recovery?.begin(trail)
        sinks.catchUp()
        if (sessions && database) void catchUp(store, sessions, trail, clock.now(), AbortSignal.any([life.signal, AbortSignal.timeout(60_000)]))
      }
      trail.record({ tenant: LOCAL_TENANT, kind: 'version_load', key: `bundle:${hash}:${clock.now()}`, at: clock.now(), data: { bundle: hash, agent: manifest.name, version: manifest.version } })
    })
    hooks.kernel.drain.tap(() => trail.flush())
    onBoot(() => {
      turnedAway.open()
      return async () => {
        turnedAway.close()
        life.abort()
        await recovery?.end()
        await trail.flush()
        trail.close()
        await sinks.flush()
        await sealing?.close()
      }
    })
  },
})

export default audit
