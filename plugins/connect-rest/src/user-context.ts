import type { PrincipalId, SessionId, TenantId } from '@amodal/sdk'

/** The principal and tenant of a request. */
export interface Asker {
  readonly tenant: TenantId
  readonly principal: PrincipalId
  readonly session: SessionId
  /** `context` of the message, as it was sent. */
  readonly context: Readonly<Record<string, string>>
}

const TENANT = new Set(['tenant', 'tenantid', 'scope', 'scopeid'])
const PRINCIPAL = new Set(['principal', 'principalid', 'sub'])
const USER = new Set(['user', 'userid'])
const SESSION = new Set(['session', 'sessionid'])

/**
 * A value of the caller. Tenant, principal and session are what the server knows. `userId` is the
 * principal; where the message is believed (`trustContext`), what it says of the user, and any
 * other name, comes from its `context`.
 */
export function userContext(
  name: string,
  { tenant, principal, session, context }: Asker,
  trustContext: boolean,
): string | undefined {
  const plain = name.toLowerCase().replaceAll(/[_-]/g, '')
  if (TENANT.has(plain)) return tenant
  if (PRINCIPAL.has(plain)) return principal
  if (SESSION.has(plain)) return session
  const claimed = trustContext && Object.hasOwn(context, name) ? context[name] : undefined
  return claimed ?? (USER.has(plain) ? principal : undefined)
}
