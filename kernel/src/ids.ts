declare const brand: unique symbol

/** A string that cannot be mistaken for another kind of string. */
export type Branded<Name extends string> = string & { readonly [brand]: Name }

export type TenantId = Branded<'TenantId'>
export type SessionId = Branded<'SessionId'>
export type RunId = Branded<'RunId'>
export type CallId = Branded<'CallId'>
export type AskId = Branded<'AskId'>
/** Who asked: required on every run, kept on every entry. */
export type PrincipalId = Branded<'PrincipalId'>
/** One process that may own lanes. */
export type InstanceId = Branded<'InstanceId'>

const SAFE = /^[\w.:@-]{1,128}$/

/**
 * `true` for strings that may be an id on the wire: 1 to 128 word characters, `.`, `:`, `@` or `-`.
 */
export function isId(text: string): boolean {
  return SAFE.test(text)
}

// The one place where a checked string becomes a branded id.
export const tenantId = (text: string): TenantId => text as TenantId
export const sessionId = (text: string): SessionId => text as SessionId
export const runId = (text: string): RunId => text as RunId
export const callId = (text: string): CallId => text as CallId
export const askId = (text: string): AskId => text as AskId
export const principalId = (text: string): PrincipalId => text as PrincipalId
export const instanceId = (text: string): InstanceId => text as InstanceId

/**
 * An id for a session that is yet to be: known before its first message, which is sent with
 * `create`.
 */
export const newSessionId = (): SessionId =>
  sessionId(`sess_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`)

/** The tenant of a product without tenants. */
export const LOCAL_TENANT: TenantId = tenantId('local')
