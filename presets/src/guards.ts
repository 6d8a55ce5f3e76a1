import { use, type Entry } from '@amodal/sdk'
import confirmations from '@amodal/plugin-confirmations'
import planMode from '@amodal/plugin-plan-mode'
import type { Preset } from './define-preset.ts'

/** What stands between the agent and everything else, in every preset. */
export const guards: readonly Entry[] = [use(confirmations), use(planMode)]

/** No guard is lost in silence: taking one out needs `unsafe: true`, and one that does not tap its hook stops the boot. */
export const protection: Pick<Preset, 'pinned' | 'mustTap'> = {
  pinned: ['confirmations', 'plan-mode'],
  mustTap: { 'tool.guard': ['plan-mode'] },
}
