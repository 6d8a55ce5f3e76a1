import { parseKey, type SentKey } from './api-key.ts'

/** The credential of a request. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly key: SentKey }
  | { readonly kind: 'token'; readonly token: string }
  /** Malformed, or several that differ. */
  | { readonly kind: 'bad' }

/** Marks our own tokens. No issuer of the configuration can be called like this. */
export const PERSON_ISSUER = 'urn:amodal:person'

const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Reads `Authorization: Bearer` and `X-API-Key`. */
export function credentialOf(headers: Headers): Credential {
  const authorization = headers.get('authorization')
  const key = headers.get('x-api-key')
  if (authorization === null && key === null) return { kind: 'none' }
  const bearer = authorization === null ? undefined : /^bearer +(\S+)$/i.exec(authorization)?.[1]
  if (
    (authorization !== null && bearer === undefined) ||
    (bearer !== undefined && key !== null && bearer !== key)
  )
    return { kind: 'bad' }
  const text = (bearer ?? key ?? '').trim()
  const sent = parseKey(text)
  if (sent) return { kind: 'key', key: sent }
  return key === null && TOKEN.test(text) ? { kind: 'token', token: text } : { kind: 'bad' }
}
