import { use, type Entry } from '@amodal/sdk'
import audit from '@amodal/plugin-audit'
import confirmations from '@amodal/plugin-confirmations'
import guardAccess from '@amodal/plugin-guard-access'
import planMode from '@amodal/plugin-plan-mode'
import roles from '@amodal/plugin-roles'
import type { Preset } from './define-preset.ts'

/** What stands between the agent and everything else, in every preset. */
export const guards: readonly Entry[] = [use(confirmations), use(roles), use(guardAccess), use(planMode), use(audit)]

/** No guard is lost in silence: taking one out needs `unsafe: true`, and one that does not tap its hook stops the boot. */
export const protection: Pick<Preset, 'pinned' | 'mustTap'> = {
  pinned: ['confirmations', 'roles', 'guard-access', 'plan-mode', 'audit'],
  mustTap: { 'tool.guard': ['roles', 'guard-access', 'plan-mode', 'audit'], 'tool.result': ['secrets-env'], 'journal.write': ['secrets-env', 'audit'], 'event.emit': ['secrets-env'] },
}
