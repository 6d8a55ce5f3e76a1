import { use, type Entry } from '@amodal/sdk'
import audit from '@amodal/plugin-audit'
import confirmations from '@amodal/plugin-confirmations'
import guardAccess from '@amodal/plugin-guard-access'
import guardFields from '@amodal/plugin-guard-fields'
import guardLinks from '@amodal/plugin-guard-links'
import guardOutput from '@amodal/plugin-guard-output'
import guardTaint from '@amodal/plugin-guard-taint'
import planMode from '@amodal/plugin-plan-mode'
import roles from '@amodal/plugin-roles'
import type { Preset } from './define-preset.ts'

/** The guards that every preset has. */
export const guards: readonly Entry[] = [
  use(confirmations),
  use(roles),
  use(guardAccess),
  use(guardTaint),
  use(planMode),
  use(audit),
  use(guardFields),
  use(guardOutput, {}, { trusted: true }),
  use(guardLinks, {}, { trusted: true }),
]

/**
 * No guard is removed silently: removing one requires `unsafe: true`, and the kernel does not boot
 * if one does not tap its hook.
 */
export const protection: Pick<Preset, 'pinned' | 'mustTap'> = {
  pinned: [
    'secrets-env',
    'confirmations',
    'roles',
    'guard-access',
    'guard-taint',
    'plan-mode',
    'audit',
    'guard-fields',
    'guard-output',
    'guard-links',
  ],
  mustTap: {
    'tool.guard': [
      'roles',
      'guard-access',
      'guard-taint',
      'plan-mode',
      'audit',
      'guard-fields',
      'guard-output',
    ],
    'tool.result': ['secrets-env', 'guard-output'],
    'journal.write': ['secrets-env', 'audit', 'guard-output', 'guard-links'],
    'event.emit': ['secrets-env', 'guard-output', 'guard-links'],
    'model.stream': ['guard-output', 'guard-links'],
  },
}
