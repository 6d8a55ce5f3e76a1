import {
  AuditTrail,
  Clock,
  Commands,
  Database,
  definePlugin,
  Erasers,
  Health,
  LOCAL_TENANT,
  Migrations,
  RefusalListeners,
  Secrets,
  SessionStore,
  systemClock,
  timeLimit,
} from '@amodal/sdk'
import { catchUp } from './catch-up.ts'
import { auditCommand } from './command.ts'
import { auditEraser } from './eraser.ts'
import { MIGRATIONS } from './migrations.ts'
import { refusals } from './refusals.ts'
import { auditParts, AuditConfig } from './parts.ts'
import { auditHooks } from './taps.ts'
import { AuditUnavailable } from './errors.ts'

/**
 * Everything that matters, in a hash chain per tenant with signed checkpoints. Nothing is changed
 * outside before its line is kept: where the log cannot be written, calls that change something are
 * refused.
 */
export const audit = definePlugin({
  name: 'audit',
  version: '0.1.0',
  errors: [AuditUnavailable],
  optional: { database: Database, sessions: SessionStore, clock: Clock, secrets: Secrets },
  provides: [AuditTrail],
  config: AuditConfig,
  setup({
    config,
    deps: { database, sessions, secrets, clock = systemClock },
    add,
    provide,
    hooks,
    onBoot,
    log,
  }) {
    const parts = auditParts(config, { database, secrets, clock, log })
    const { own, copies, sealing, recovery, store, file, sinks, trail } = parts
    add(Migrations, 'audit', MIGRATIONS)
    add(
      Commands,
      'ops audit',
      auditCommand({ own, copies }, () => clock.now()),
    )
    add(Health, 'audit', () => {
      const problem = trail.problem ?? sealing?.problem
      return {
        facts: { audit: trail.problem ? 'unavailable' : 'ok' },
        ...(problem && { problem: `audit: ${problem.message}` }),
      }
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
        if (sessions && database)
          void catchUp(
            store,
            sessions,
            trail,
            clock.now(),
            timeLimit(60_000, 'catching up with the journal', life.signal),
          )
      }
      trail.record({
        tenant: LOCAL_TENANT,
        kind: 'version_load',
        key: `bundle:${hash}:${clock.now()}`,
        at: clock.now(),
        data: { bundle: hash, agent: manifest.name, version: manifest.version },
      })
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
