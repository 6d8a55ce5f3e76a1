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

/** How the names of what the server knows of a caller are usually written. */
export const CALLER_NAMES: readonly string[] = [
  'tenant',
  'tenantId',
  'scopeId',
  'principal',
  'principalId',
  'user',
  'userId',
  'session',
  'sessionId',
]

/** Whether the server knows this value of every caller. */
export function isCallerName(name: string): boolean {
  const plain = plainName(name)
  return [TENANT, PRINCIPAL, USER, SESSION].some((names) => names.has(plain))
}

const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

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
  const plain = plainName(name)
  if (TENANT.has(plain)) return tenant
  if (PRINCIPAL.has(plain)) return principal
  if (SESSION.has(plain)) return session
  const claimed = trustContext && Object.hasOwn(context, name) ? context[name] : undefined
  return claimed ?? (USER.has(plain) ? principal : undefined)
}
