import type { AgentBundle, ConnectionStatus, HealthFact } from '@amodal/sdk'
import { brokenConnectionsOf, connectionsOf, unsetOf } from '@amodal/sdk/connections'

/** How HTTP connections fare, and those of any kind that are left out. */
export function statusesOf(bundle: AgentBundle): readonly ConnectionStatus[] {
  const rest = connectionsOf(bundle)
    .filter(({ protocol }) => protocol === 'rest')
    .map((connection): ConnectionStatus => {
      const { name } = connection
      const unset = unsetOf(bundle, connection)
      return unset.length === 0
        ? { name, kind: 'rest', status: 'ready' }
        : { name, kind: 'rest', status: 'failed', error: `not set: ${unset.join(', ')}` }
    })
  const broken = brokenConnectionsOf(bundle).map(({ name, kind, error }): ConnectionStatus => ({
    name,
    kind,
    status: 'failed',
    error: `left out: ${error}`,
  }))
  return [...rest, ...broken]
}

export function healthOf(bundle: AgentBundle | undefined): HealthFact {
  if (!bundle) return { facts: {} }
  const failed = statusesOf(bundle).filter(({ status }) => status === 'failed')
  const facts = { connections: connectionsOf(bundle).length }
  return failed.length === 0
    ? { facts }
    : { facts, problem: failed.map(({ name, error }) => `${name} ${error ?? ''}`).join('; ') }
}
