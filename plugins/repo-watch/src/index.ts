import { Agent, type AgentBundle, BundleSource, definePlugin, Health, messageOf } from '@amodal/sdk'
import { z } from 'zod'
import { FolderPoll } from './folder-poll.ts'
import { FolderWatch } from './folder-watch.ts'
import { PluginCode } from './plugin-code.ts'
import { Reloads } from './reloads.ts'
import { Rewire } from './tokens.ts'
import { WiringWatch } from './wiring.ts'

export { Rewire, type Rewiring } from './tokens.ts'

/** Polling interval where the system cannot watch the folder, ms. */
const POLL_MS = 1_000

/** Reloads the agent's files when they are edited; the next turn uses them. */
export const repoWatch = definePlugin({
  name: 'repo-watch',
  version: '0.1.0',
  reaches: { files: ['*'] },
  requires: { agent: Agent, files: BundleSource },
  optional: { rewire: Rewire },
  config: z.strictObject({
    debounceMs: z
      .int()
      .min(10)
      .max(60_000)
      .default(300)
      .describe('ms without a change after which an edit is over'),
    pollMs: z
      .int()
      .min(0)
      .max(60_000)
      .default(0)
      .describe(
        'polling interval in ms, for file systems that report no changes; 0: watch instead',
      ),
  }),
  setup({
    config: { debounceMs, pollMs },
    deps: { agent, files, rewire },
    add,
    hooks,
    onBoot,
    generation,
    log,
  }) {
    const { where, places } = files
    let watch: FolderWatch | undefined
    let poll: FolderPoll | undefined
    let closed = false
    const reloads = new Reloads({
      agent,
      log,
      generation,
      debounceMs,
      prepare: async () => watch?.follow(),
    })
    const changed = (path?: string): void => reloads.changed(path)
    const beginPolling = (everyMs: number): void => {
      if (poll || closed || !places) return
      poll = new FolderPoll(where, places, everyMs, changed)
      void poll
        .look()
        .catch((cause: unknown) => log.warn('files.unwatched', { message: messageOf(cause) }))
    }
    const wiring = new WiringWatch(rewire, log)
    const code = new PluginCode(where, log)
    const followCode = (bundle: AgentBundle): void => {
      if (!closed && places)
        void code
          .follow(bundle)
          .catch((cause: unknown) => log.warn('plugins.unwatched', { message: messageOf(cause) }))
    }
    const watching = (): string => {
      if (poll) return 'polling'
      return watch ? 'yes' : 'no'
    }
    add(Health, 'repo-watch', () => {
      const problem = wiring.problem ?? code.problem
      return { facts: { watching: watching() }, ...(problem !== undefined && { problem }) }
    })
    hooks.bundle.check.tap(async (bundle, issues) => {
      issues.push(...(await wiring.check(bundle)))
    })
    hooks.bundle.used.tap((bundle) => {
      wiring.used(bundle)
      followCode(bundle)
    })
    onBoot(async () => {
      const bundle = agent.bundle()
      if (bundle) {
        wiring.used(bundle)
        followCode(bundle)
      }
      if (!places)
        return log.info('files.unwatched', { message: "the agent's files are not of a folder" })
      if (pollMs > 0) beginPolling(pollMs)
      else {
        watch = new FolderWatch(where, places, {
          changed,
          failed: (cause) => {
            if (!poll)
              log.warn('files.polled', {
                message: `the system cannot watch all folders (${messageOf(cause)}); they are looked at every second`,
              })
            beginPolling(POLL_MS)
          },
        })
        await watch.follow()
      }
      log.info('files.watched', { folder: where, debounceMs })
      return async () => {
        closed = true
        watch?.close()
        poll?.close()
        code.close()
        await reloads.close()
      }
    })
  },
})

export default repoWatch
