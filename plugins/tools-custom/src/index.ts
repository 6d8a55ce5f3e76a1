import {
  Agent,
  Checkups,
  Clock,
  definePlugin,
  Health,
  messageOf,
  Outbound,
  RequestLimiter,
  Secrets,
  Tools,
} from '@amodal/sdk'
import { SessionBundles } from '@amodal/sdk/loop'
import {
  FileSchemas,
  FolderCounts,
  FolderOwners,
  PartStarters,
} from '@amodal/plugin-repo-files/tokens'
import { ScheduledTools } from '@amodal/plugin-automations/tokens'
import { AgentCode, OwnCalls } from '@amodal/plugin-subagents/tokens'
import { StoreAccess } from '@amodal/plugin-stores/tokens'
import { SandboxedAgentCode } from './agent-code.ts'
import { addUnknownNames } from './names.ts'
import { customTools, type CustomTool } from './custom-tool.ts'
import { Definitions } from './definition-cache.ts'
import { judgeCaller } from './callers.ts'
import { definitionOf, toolsOf } from './definitions.ts'
import { guardsOf } from './guards/guard.ts'
import { readGuards } from './guards/read-guards.ts'
import { tapGuards } from './guards/taps.ts'
import { handlerCheckup, handlerFacts } from './health.ts'
import { Isolation } from './isolation.ts'
import { HandlerPool } from './process/pool.ts'
import { Programs } from './process/programs.ts'
import { readTools } from './read-tools.ts'
import { toolSchema } from './fields.ts'
import { programSettings, settings } from './settings.ts'
import { toolStarter } from './starter.ts'
import { CodeSandbox, ProgramSandbox } from './tokens.ts'
import { invokeRoutes, TOOLS_ROUTE } from './triggers/invoke.ts'
import { scheduledTools, StartedCalls } from './triggers/started-call.ts'
import { isStarted, tapTriggers } from './triggers/taps.ts'
import { VersionSandbox } from './versions/code-sandbox.ts'

/**
 * The tools of the agent's folder: handlers in processes of their own, and requests without any
 * code.
 */
export const toolsCustom = definePlugin({
  name: 'tools-custom',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'], files: ['*'], processes: ['node', 'bwrap', 'unshare'] },
  requires: { secrets: Secrets, outbound: Outbound, clock: Clock },
  provides: [Tools, Health, Checkups, AgentCode, ProgramSandbox, CodeSandbox],
  config: settings,
  setup({ config, deps, hooks, provide, add, onDispose, generation, log }) {
    const { processes, idleMs, callsEach, startMs, outputBytes, messageBytes } = config
    const { secrets, outbound, clock } = deps
    const path = (): string => secrets.get('PATH') ?? '/usr/local/bin:/usr/bin:/bin'
    const processLimits = { startMs, outputBytes, messageBytes }
    const isolation = new Isolation({ ...config, path }, processLimits, log)
    const programIsolation = new Isolation({ ...programSettings(config), path }, processLimits, log)
    const programs = new Programs(programIsolation)
    const { handlers } = isolation
    const pool = new HandlerPool({ processes, idleMs, callsEach })
    const definitions = new Definitions()
    let inUse: readonly CustomTool[] = []
    onDispose(async () => {
      await Promise.all([pool.close(), guardPool.close(), versionPool.close(), programs.close()])
      await isolation.close()
      await handlers.kept.close()
    })

    hooks.bundle.load.tap((bundle) =>
      readTools(bundle, { isolation, handlers, secrets, definitions, inUse }),
    )
    const guardPool = new HandlerPool({ processes: config.guardProcesses, idleMs, callsEach })
    const agentCode = new SandboxedAgentCode(isolation, guardPool)
    provide(AgentCode, () => agentCode)
    const versionPool = new HandlerPool({ processes, idleMs, callsEach })
    provide(ProgramSandbox, () => programs)
    provide(
      CodeSandbox,
      () => new VersionSandbox({ isolation, pool: versionPool, programs, outbound }),
    )
    hooks.bundle.load.tap((bundle) => readGuards(bundle, { isolation, handlers }))
    tapGuards(hooks, {
      handlers,
      pool: guardPool,
      secrets,
      stores: () => generation().scope.find(StoreAccess),
      answerMs: config.guardMs,
    })
    hooks.bundle.used.tap((bundle) => {
      inUse = customTools(bundle)
      programIsolation.protect(bundle)
      const held = generation().scope.find(SessionBundles)?.held() ?? []
      const digests = new Set([
        ...[bundle, ...held].flatMap((one) =>
          [...customTools(one), ...guardsOf(one)].map(({ digest }) => digest),
        ),
        ...agentCode.digests,
      ])
      pool.keep(digests)
      guardPool.keep(digests)
      definitions.keep(digests)
      void handlers.kept
        .keep(digests)
        .catch((cause: unknown) => log.warn('handlers.kept', { message: messageOf(cause) }))
    })
    hooks.bundle.check.tap((bundle, issues) => addUnknownNames(bundle, generation(), issues))
    add(Tools, 'custom', {
      tools: (bundle) => toolsOf(bundle, { handlers, pool, outbound, secrets, clock }),
    })
    const started = new StartedCalls()
    const parts = { handlers, pool, outbound, secrets, clock }
    hooks.tool.guard.tap((verdict, call, ctx) => judgeCaller(verdict, call, ctx, started), {
      stage: 'guard',
    })
    tapTriggers(hooks, started, (tool) => definitionOf(tool, parts))
    add(OwnCalls, 'triggers', (call, ctx) => isStarted(call, ctx, started))
    add(ScheduledTools, 'custom', scheduledTools)
    hooks.http.routes.tap((table) => {
      const { scope } = generation()
      const agent = scope.find(Agent)
      const limiter = scope.find(RequestLimiter)
      if (agent)
        table.mount(TOOLS_ROUTE, invokeRoutes({ agent, generation, limiter }), { scope: 'chat' })
    })
    add(
      Health,
      'handlers',
      handlerFacts(isolation, pool, () => generation()),
    )
    add(Checkups, 'handlers', () => handlerCheckup(isolation, () => generation()))
    add(FolderOwners, 'hooks', { folder: 'hooks' })
    add(FolderCounts, 'hooks', (bundle) => guardsOf(bundle).length)
    add(FolderCounts, 'tools', (bundle) => customTools(bundle).length)
    add(PartStarters, 'tool', toolStarter)
    add(FileSchemas, 'tool', { files: ['tools/*/tool.json', 'tools/*.json'], schema: toolSchema })
  },
})

export default toolsCustom
