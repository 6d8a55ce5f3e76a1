import {
  type AgentBundle,
  type AuditDraft,
  AuditTrail,
  Clock,
  Commands,
  Database,
  definePlugin,
  Erasers,
  fixOf,
  type Generation,
  Health,
  type HealthFact,
  LOCAL_TENANT,
  Migrations,
  OutputRedactor,
  RefusalListeners,
  Secrets,
  SessionStore,
  systemClock,
  timeLimit,
} from '@amodal/sdk'
import { SessionRelations } from '@amodal/plugin-sessions/tokens'
import { Acknowledgements, acknowledgements } from './acknowledgements.ts'
import { catchUp } from './catch-up.ts'
import { auditCommand } from './command.ts'
import { auditEraser } from './eraser.ts'
import { MIGRATIONS } from './migrations.ts'
import { refusals } from './refusals.ts'
import { auditRoutes } from './routes.ts'
import { auditParts, AuditConfig } from './parts.ts'
import type { Sealing } from './sealing.ts'
import { auditHooks } from './taps.ts'
import type { Trail } from './trail.ts'
import { verifierOf } from './verifier.ts'
import { AuditSignerUnknown, AuditUnavailable, AuditUnsealed } from './errors.ts'

/**
 * An audit log: a hash chain per tenant with signed checkpoints. A call that changes something runs
 * only after its line is committed; while the log cannot be written, such calls are refused.
 */
export const audit = definePlugin({
  name: 'audit',
  version: '0.1.0',
  reaches: { secrets: ['*'], files: ['.amodal/audit'] },
  errors: [AuditUnavailable, AuditSignerUnknown, AuditUnsealed],
  optional: {
    database: Database,
    sessions: SessionStore,
    relations: SessionRelations,
    clock: Clock,
    secrets: Secrets,
  },
  provides: [AuditTrail, Acknowledgements],
  config: AuditConfig,
  setup({
    config,
    deps: { database, sessions, relations, secrets, clock = systemClock },
    add,
    provide,
    hooks,
    generation,
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
    add(Health, 'audit', () => healthOf(trail, sealing))
    provide(AuditTrail, () => trail)
    provide(Acknowledgements, () => acknowledgements({ sealing, recovery, trail, clock }))
    if (database) add(Erasers, 'audit', auditEraser({ sealing, file, clock }))
    const life = new AbortController()
    let begun = false
    const turnedAway = refusals(trail, clock)
    add(RefusalListeners, 'audit', turnedAway.hear)
    auditHooks(hooks, trail, clock)
    const verifier = verifierOf({ own, copies, store, database, secrets, clock })
    const mask = (text: string): string => maskedBy(generation(), secrets, text)
    hooks.http.routes.tap((table) => table.mount('/api/audit', auditRoutes(verifier, mask)))
    hooks.bundle.used.tap(({ hash, manifest }) => {
      // A command that only reads uses no bundle, and leaves the log as it is.
      if (!begun) {
        begun = true
        recovery?.begin(trail)
        sinks.catchUp()
        if (sessions && database)
          void catchUp(
            { store, sessions, database, relations, trail, log },
            clock.now(),
            timeLimit(60_000, 'catching up with the journal', life.signal),
          )
      }
      trail.record(versionLoad(hash, manifest, clock.now()))
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

const versionLoad = (
  hash: string,
  { name, version }: AgentBundle['manifest'],
  at: number,
): AuditDraft => ({
  tenant: LOCAL_TENANT,
  kind: 'version_load',
  key: `bundle:${hash}:${at}`,
  at,
  data: { bundle: hash, agent: name, version },
})

/** Without secrets and restricted values. What redacts is found late: it may need this log. */
function maskedBy(generation: Generation, secrets: Secrets | undefined, text: string): string {
  const masked = secrets?.mask(text) ?? text
  return generation.scope.find(OutputRedactor)?.text(masked) ?? masked
}

function healthOf(trail: Trail, sealing: Sealing | undefined): HealthFact {
  const problem = trail.problem ?? sealing?.problem
  return {
    facts: { audit: trail.problem ? 'unavailable' : 'ok' },
    ...(problem && { problem: `audit: ${problem.message}`, fix: fixOf(problem) }),
  }
}

export default audit
