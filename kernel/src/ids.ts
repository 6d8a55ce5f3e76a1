declare const brand: unique symbol

/** A string that cannot be mistaken for another kind of string. */
export type Branded<Name extends string> = string & { readonly [brand]: Name }

export type TenantId = Branded<'TenantId'>
export type SessionId = Branded<'SessionId'>
export type RunId = Branded<'RunId'>
export type CallId = Branded<'CallId'>
export type AskId = Branded<'AskId'>
/** The principal of a request: required on every run, stored with every entry. */
export type PrincipalId = Branded<'PrincipalId'>
/** One process that may own sessions. */
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

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * 16 random letters and digits, 95 bits, as a unique key. A turn writes ids and
 * keys into a dozen rows and index entries: as UUIDs they would be twice as long.
 */
export function newKey(): string {
  let text = ''
  while (text.length < 16)
    for (const byte of crypto.getRandomValues(new Uint8Array(24)))
      if (text.length < 16) text += LETTERS[byte & 63] ?? '' // two of 64 values are none
  return text
}

/**
 * The id of a session that does not exist yet; its first message is sent with `create`.
 */
export const newSessionId = (): SessionId => sessionId(`sess_${newKey()}`)
export const newRunId = (): RunId => runId(`run_${newKey()}`)

/** The tenant of a product without tenants. */
export const LOCAL_TENANT: TenantId = tenantId('local')
