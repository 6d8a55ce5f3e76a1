import { rolesHeld } from '@amodal/plugin-roles/tokens'
import type { AgentBundle, Caller } from '@amodal/sdk'
import type { Rights } from './routes.ts'

export const ALL_RIGHTS: Rights = { view: true, manage: true }

/**
 * What a caller may do with automations, by the files of their roles (`automations: { can_view,
 * can_create }`). The default role counts for whoever has none.
 * Without role files everybody with a credential for these routes may do all.
 */
export function rightsOf(
  bundle: AgentBundle | undefined,
  { roles: held = [] }: Pick<Caller, 'roles'>,
): Rights {
  if (!bundle) return ALL_RIGHTS
  const counted = rolesHeld(bundle, held)
  if (!counted) return ALL_RIGHTS
  const mine = counted.map(({ automations }) => automations)
  return {
    view: mine.some(({ view, manage }) => view || manage),
    manage: mine.some(({ manage }) => manage),
  }
}
