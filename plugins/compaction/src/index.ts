import { Compactor, definePlugin } from '@amodal/sdk'
import { SnapshotCompactor } from './compactor.ts'
import { toolFinder } from './find-tools.ts'
import { CompactionSettings } from './settings.ts'

/**
 * Keeps conversations inside the window of their model: older tool outputs are masked, old messages
 * become a structured snapshot, and tools that are too many to list are found with `find_tools`.
 *
 * @example
 * use(compaction, { at: 0.7, tools: { budget: 10_000 } })
 */
export const compaction = definePlugin({
  name: 'compaction',
  version: '0.1.0',
  provides: [Compactor],
  config: CompactionSettings,
  setup({ config, provide, hooks }) {
    provide(Compactor, () => new SnapshotCompactor(config))
    // After those that add and take away.
    hooks.tools.list.tap(toolFinder(config.tools.budget), { stage: 'late' })
  },
})

export default compaction
