import { definePlugin, Log } from '@amodal/sdk'
import { activityHooks } from './taps.ts'

/**
 * Logs what the agent does: sessions, runs, calls of models and tools, writes of stores. Never
 * their content.
 */
export const logActivity = definePlugin({
  name: 'log-activity',
  version: '0.1.0',
  optional: { log: Log },
  setup({ deps: { log }, hooks }) {
    if (log) activityHooks(hooks, log)
  },
})

export default logActivity
