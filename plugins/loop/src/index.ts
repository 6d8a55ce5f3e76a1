import {
  Agent,
  AuditTrail,
  BundleSource,
  Clock,
  definePlugin,
  Health,
  PluginError,
  PromptCompiler,
  Scrubber,
  Sealer,
  SessionStore,
  systemClock,
} from '@amodal/sdk'
import { AssetStore, SessionArchive } from '@amodal/sdk/loop'
import { AgentRuntime } from './agent-runtime.ts'
import { closeMs, RuntimeSettings } from './settings.ts'
import { addNameIssues } from './tool-names.ts'

export { History } from './history.ts'
export { project } from './project.ts'
export { DEFAULT_SETTINGS, RuntimeSettings } from './settings.ts'

/**
 * Runs the agent: turns on sessions, the handlers of all states, readers, recovery. Everything else
 * asks its `Agent`.
 */
export const loop = definePlugin({
  name: 'loop',
  version: '0.1.0',
  // What a turn looks up while it runs; named here so that it is up before the first turn is.
  optional: {
    assets: AssetStore,
    clock: Clock,
    sessions: SessionStore,
    files: BundleSource,
    prompt: PromptCompiler,
    scrubber: Scrubber,
    sealer: Sealer,
    archive: SessionArchive,
    audit: AuditTrail,
  },
  provides: [Agent],
  config: RuntimeSettings,
  setup({ config, deps, provide, add, hooks, onBoot, generation, log, name }) {
    const runtime = new AgentRuntime(config, deps.clock ?? systemClock, log, generation)
    provide(Agent, () => runtime)
    add(Health, 'session-archive', () => runtime.archiveHealth())
    add(Health, 'tools', () => runtime.toolHealth())
    hooks.bundle.check.tap((bundle, issues) => addNameIssues(bundle, generation(), issues))
    onBoot(async () => {
      const started = await runtime.start()
      if (!started.ok)
        throw new PluginError(
          name,
          'boot',
          'agent',
          new Error(started.error.message, { cause: started.error }),
          started.error.code,
        )
      return async () => {
        await runtime.close()
        await runtime.queue.handedBack()
      }
    })
    hooks.kernel.drain.tap(() => runtime.close(), { timeoutMs: closeMs(config) })
  },
})

export default loop
