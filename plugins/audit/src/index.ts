import { join, resolve } from 'node:path'
import { AuditTrail, Clock, Commands, Database, definePlugin, Health, LOCAL_TENANT, Migrations, PluginError, RefusalListeners, Secrets, SessionStore, systemClock } from '@amodal/sdk'
import { z } from 'zod'
import { catchUp } from './catch-up.ts'
import { Checkpoints, KEY_VARIABLE } from './checkpoints.ts'
import { auditCommand } from './command.ts'
import { DatabaseChains } from './database-store.ts'
import { MemoryChains } from './memory-store.ts'
import { MIGRATIONS } from './migrations.ts'
import { refusals } from './refusals.ts'
import { Signing, sinkOf, type TakeLine } from './sinks.ts'
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
    file: z.string().min(1).optional().describe('Every line is added to this file too, as JSON; relative to the agent folder.'),
    log: z.boolean().default(false).describe('Every line goes into the log too.'),
    onLine: z.custom<TakeLine>((value) => typeof value === 'function', 'a function that takes a line').optional().describe('For an embedding: told of every line.'),
    checkpointLines: z.int().min(1).default(1_000).describe('Lines after which a place of the chain is signed.'),
    checkpointMinutes: z.number().positive().default(15).describe('Minutes after which new lines are signed at the latest.'),
  }),
  setup({ name, config, deps: { database, sessions, secrets, clock = systemClock }, add, provide, hooks, onBoot, log }) {
    const store = database ? new DatabaseChains(database) : new MemoryChains()
    const folder = config.dir === undefined ? undefined : join(config.dir, '.amodal', 'audit')
    let signing: Signing | undefined
    const file = config.file === undefined ? undefined : resolve(config.dir ?? '.', config.file)
    const sink = sinkOf({ ...config, file }, log)
    const trail = new Trail(store, log, (tenant, lines) => {
      sink(tenant, lines)
      signing?.count(tenant, lines)
    })
    add(Migrations, 'audit', MIGRATIONS)
    add(Commands, 'ops audit', auditCommand(folder))
    add(Health, 'audit', () => ({ facts: { audit: trail.problem ? 'unavailable' : 'ok' }, ...(trail.problem && { problem: `audit: ${trail.problem.message}` }) }))
    provide(AuditTrail, () => trail)
    const turnedAway = refusals(trail, clock)
    add(RefusalListeners, 'audit', turnedAway.hear)
    auditHooks(hooks, trail, clock)
    hooks.bundle.used.tap(({ hash, manifest }) => {
      trail.record({ tenant: LOCAL_TENANT, kind: 'version_load', key: `bundle:${hash}:${clock.now()}`, at: clock.now(), data: { bundle: hash, agent: manifest.name, version: manifest.version } })
    })
    hooks.kernel.drain.tap(() => trail.flush())
    onBoot((signal) => {
      turnedAway.open()
      const opened = folder === undefined ? undefined : Checkpoints.open(folder, secrets?.get(KEY_VARIABLE))
      if (opened && !opened.ok) throw new PluginError(name, 'boot', 'checkpoints', new Error(opened.error.message), opened.error.code)
      signing = opened && new Signing(opened.value, { lines: config.checkpointLines, minutes: config.checkpointMinutes }, clock, log)
      if (sessions && database) void catchUp(store, sessions, trail, clock.now(), AbortSignal.any([signal, AbortSignal.timeout(60_000)]))
      return async () => {
        turnedAway.close()
        await trail.flush()
        trail.close()
        signing?.close()
      }
    })
  },
})

export default audit
