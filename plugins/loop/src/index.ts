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
import { AssetStore, SessionArchive, SessionBundles } from '@amodal/sdk/loop'
import { AgentRuntime } from './agent-runtime.ts'
import { closeMs, RuntimeSettings } from './settings.ts'
import { addNameIssues } from './tool-calls/tool-names.ts'

export { History } from './run/history.ts'
export { project } from './streams/project.ts'
export { DEFAULT_SETTINGS, RuntimeSettings } from './settings.ts'

/**
 * Runs the agent: the turns of sessions, the handlers of all states, the readers of streams, and
 * recovery. Other plugins use it through its `Agent`.
 */
export const loop = definePlugin({
  name: 'loop',
  version: '0.1.0',
  // Declared here so that they are set up before the first turn looks them up.
  optional: {
    assets: AssetStore,
    clock: Clock,
    sessions: SessionStore,
    files: BundleSource,
    bundles: SessionBundles,
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
        await runtime.ownedSessions.leasesExpired()
      }
    })
    hooks.kernel.drain.tap(() => runtime.close(), { timeoutMs: closeMs(config) })
  },
})

export default loop
