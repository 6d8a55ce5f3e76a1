import { isSecretName } from '@amodal/sdk'

/** Words behind the name of a secret that change nothing: `password_hash`, `token_value`. */
const TAILS: ReadonlySet<string> = new Set(
  'value hash plain plaintext text raw pem base64 encoded current new old digest'.split(' '),
)
/** Tokens of paging are needed to read on, and open nothing. */
const PAGING: ReadonlySet<string> = new Set(
  'page next prev previous continuation cursor sync delta resume start skip scroll'.split(' '),
)

/**
 * Whether a field of an answer holds a secret, by its name: `api_key`, `clientSecret`; not
 * `token_type`, `next_page_token`.
 */
export function isSecretField(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  while (words.length > 1 && TAILS.has(words.at(-1) ?? '')) words.pop()
  if (words.some((word) => PAGING.has(word))) return false
  const [before = '', last = ''] = words.length > 1 ? words.slice(-2) : ['', ...words]
  return isSecretName(last) || (!isSecretName(before) && isSecretName(`${before} ${last}`))
}
