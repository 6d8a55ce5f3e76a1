import type { AccessRule, AccessRules, Action, Connection } from '@amodal/sdk'

export const rule = (
  name: string,
  tier: AccessRule['tier'],
  more: Partial<AccessRule> = {},
): AccessRule => {
  const [method = '', path = ''] = name.split(' ')
  return { method, path, tier, returns: [], thresholds: [], ...more }
}

export function connection(
  rules: readonly AccessRule[],
  more: Partial<Connection> = {},
): Connection {
  const access: AccessRules = {
    rules,
    fallback: { read: 'allow', write: 'confirm' },
    fieldRestrictions: [],
    rowScoping: [],
    delegations: { enabled: true, escalateConfirm: true },
    alternativeLookups: [],
  }
  return {
    name: 'crm',
    protocol: 'rest',
    spec: {},
    access,
    accessGiven: true,
    surface: '',
    entities: '',
    rules: '',
    file: 'connections/crm/spec.json',
    ...more,
  }
}

export const action = (method: string, path: string, more: Partial<Action> = {}): Action => ({
  connection: 'crm',
  protocol: 'rest',
  method,
  path,
  base: '/v1',
  query: {},
  headers: {},
  effect: method === 'GET' ? 'read' : 'write',
  ...more,
})
