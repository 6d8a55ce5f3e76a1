import type { Caller, Identity, PrincipalId } from '@amodal/sdk'

/**
 * The scope that a credential needs for these events; all others need the scope to list sessions.
 */
const NEEDS: readonly (readonly [prefix: string, scope: string])[] = [
  ['store_', 'stores'],
  ['automation_', 'automations'],
  ['delivery_', 'automations'],
  ['channel_', 'channels'],
  ['files_', 'inspect'],
]

/** The events that one kind of subscriber may see. Those of the same `key` read the same. */
export interface View {
  readonly key: string
  /** Each frame also has its type in an `event` line. */
  readonly named: boolean
  /** @param eventPrincipal whose session the event is about, if it is about one */
  sees(type: string, eventPrincipal: PrincipalId | undefined): boolean
}

/**
 * The sessions that the caller's list shows, and the kinds for which the credential has a scope.
 */
export function viewOf(
  { principal, ownSessionsOnly = false }: Caller,
  { scopes }: Identity,
  named: boolean,
): View {
  const all = scopes.includes('*')
  return {
    key: JSON.stringify([named, ownSessionsOnly ? principal : '', all ? '*' : scopes.toSorted()]),
    named,
    sees(type, eventPrincipal) {
      if (ownSessionsOnly && eventPrincipal !== undefined && eventPrincipal !== principal)
        return false
      return (
        all || NEEDS.every(([prefix, scope]) => !type.startsWith(prefix) || scopes.includes(scope))
      )
    },
  }
}
