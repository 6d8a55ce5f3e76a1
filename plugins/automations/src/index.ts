import {
  Agent,
  announce,
  Clock,
  Commands,
  Database,
  definePlugin,
  Erasers,
  JobQueue,
  Migrations,
  Outbound,
  Secrets,
  tenantId,
  type Caller,
} from '@amodal/sdk'
import { Inventories } from '@amodal/sdk/inspection'
import { StandIns } from '@amodal/plugin-confirmations/tokens'
import { StudioViews } from '@amodal/plugin-studio/tokens'
import { FileSchemas, PartStarters } from '@amodal/plugin-repo-files/tokens'
import { automationsCommand } from './command.ts'
import { DatabaseStore } from './database-store.ts'
import { automationsOf } from './definition.ts'
import { Deliverer } from './delivery/deliverer.ts'
import { eraser } from './eraser.ts'
import { AutomationFailed, AutomationPaused } from './errors.ts'
import { answerForNobody, refuseUnapproved, refuseWrite } from './guard.ts'
import { inventory } from './inventory.ts'
import { MemoryStore } from './memory-store.ts'
import { MIGRATIONS } from './migrations.ts'
import { tellDelivery, tellRun } from './news.ts'
import { Settings } from './settings.ts'
import { Planner } from './planner.ts'
import { readAutomations, toolsIn } from './read-automations.ts'
import { ALL_RIGHTS, rightsOf } from './rights.ts'
import { automationRoutes } from './routes.ts'
import { Runner } from './runner.ts'
import { AutomationService } from './service.ts'
import { STUDIO_VIEW, studioRoute } from './studio-view.ts'
import { Automations, AutomationResults } from './tokens.ts'
import { AutomationWaiting, standIn, tapAnswers } from './waiting.ts'
import { WebhookReceiver } from './webhook/receiver.ts'
import { webhookRoutes } from './webhook/routes.ts'
import { Work } from './work.ts'
import { automationSchema, automationStarter } from './starter.ts'

/**
 * Runs without a person: on a schedule, on a signed webhook, on demand; and where their results go.
 *
 * @example
 * use(automations, { deadlineSeconds: 600 })
 */
export const automations = definePlugin({
  name: 'automations',
  version: '0.1.0',
  reaches: { secrets: ['*'], hosts: ['*'] },
  requires: { agent: Agent, queue: JobQueue, outbound: Outbound, secrets: Secrets, clock: Clock },
  optional: { database: Database, results: AutomationResults },
  provides: [Automations],
  // One worker of a queue in a process: the old one stops before the new one begins.
  reload: 'exclusive',
  // What those decide is known when the last guard here is asked.
  after: ['tools-custom', 'roles', 'guard-access', 'guard-taint', 'plan-mode', 'confirmations'],
  errors: [AutomationPaused, AutomationFailed],
  events: [AutomationWaiting],
  config: Settings,
  setup({ config, deps, provide, add, hooks, generation, log, onBoot }) {
    const { agent, queue, outbound, secrets, clock, database, results } = deps
    const tenants = config.tenants.map((name) => tenantId(name))
    const life = new AbortController()
    if (database) add(Migrations, 'automations', MIGRATIONS)
    if (database) add(Erasers, 'automations', eraser)
    const store = database
      ? new DatabaseStore(database, queue, life.signal)
      : new MemoryStore(queue, life.signal)

    hooks.bundle.load.tap((bundle) => readAutomations(bundle, secrets, toolsIn(bundle, generation)))
    hooks.tool.guard.tap(refuseWrite, { stage: 'guard' })
    hooks.tool.guard.tap(refuseUnapproved, { stage: 'last' })
    hooks.confirm.ask.tap(answerForNobody)
    add(
      StandIns,
      'automations',
      standIn(() => agent.bundle()),
    )

    const runner = new Runner({
      store,
      agent,
      clock,
      log,
      deadline: config.deadlineSeconds,
      tell: (news) => tellRun(generation(), log, news),
    })
    tapAnswers(hooks, (run) => void runner.wake(run))
    const deliverer = new Deliverer({
      store,
      outbound,
      secrets,
      clock,
      secret: config.secret,
      handler: () => results?.handle,
      tell: (news) => tellDelivery(generation(), log, news),
    })
    const planner = new Planner({
      store,
      clock,
      log,
      tenants,
      graceMs: config.graceSeconds * 1_000,
      scheduled: (tenant, name, intervalMs) =>
        announce(generation(), { type: 'automation_started', name, intervalMs }, { tenant }),
    })
    const service = new AutomationService({
      store,
      planner,
      agent,
      clock,
      changed: (tenant, { name }, paused) =>
        paused
          ? announce(generation(), { type: 'automation_stopped', name }, { tenant })
          : planner.tellStarted(tenant, name),
    })
    const bundled = () => {
      const bundle = agent.bundle()
      return bundle ? automationsOf(bundle) : []
    }
    const receiver = new WebhookReceiver({
      service,
      automations: bundled,
      store,
      secrets,
      clock,
      log,
      tenants,
      ...config.webhooks,
    })
    const parts = { service, agent }
    const routes = automationRoutes({ ...parts, rightsOf: () => ALL_RIGHTS })
    const rights = (caller: Caller) => rightsOf(agent.bundle(), caller)
    const guarded = automationRoutes({ ...parts, rightsOf: rights })
    const studio = studioRoute(service, rights)
    const webhooks = webhookRoutes(receiver)
    provide(Automations, () => ({ routes, webhooks, tick: () => planner.tick() }))
    hooks.http.routes.tap((table) => {
      table.mount('/automations', guarded, { scope: 'automations' })
      table.mount(STUDIO_VIEW.route, studio, { exact: true, scope: 'automations' })
      table.mount('/webhooks', webhooks, { open: true, maxBody: config.webhooks.maxBytes })
    })
    add(Inventories, 'automations', inventory)
    add(StudioViews, 'automations', STUDIO_VIEW)
    add(Commands, 'ops automations', automationsCommand)
    add(PartStarters, 'automation', automationStarter)
    add(FileSchemas, 'automation', automationSchema)

    const work = new Work({ ...config, store, clock, log, queue, planner, runner, deliverer })
    hooks.bundle.used.tap((bundle) => work.replan(automationsOf(bundle)))
    hooks.kernel.drain.tap(() => work.stop())
    onBoot(async () => {
      await work.start(bundled())
      return async () => {
        await work.stop()
        life.abort()
      }
    })
  },
})

export default automations
