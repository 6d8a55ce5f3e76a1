import { createHash } from 'node:crypto'

/** An API key for a test, the same for the same name. */
export function keyFor(name: string): string {
  const hash = createHash('sha256').update(name)
  const id = [...hash.copy().update('id').digest().subarray(0, 12)]
    .map((byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte % 32])
    .join('')
  return `amodal_${id}_${hash.copy().update('secret').digest('base64url')}`
}

/** What such a key says beside its name. */
export interface Person {
  readonly tenant?: string
  readonly roles?: readonly string[]
  readonly scopes?: readonly string[]
}

/** `AMODAL_API_KEYS` for people by their names; good for everything where no scopes are said. */
export const keysOf = (
  people: Readonly<Record<string, Person>>,
): { readonly AMODAL_API_KEYS: string } => ({
  AMODAL_API_KEYS: Object.entries(people)
    .map(([name, { tenant, roles = [], scopes = ['*'] }]) =>
      [
        keyFor(name),
        `name=${name}`,
        `scopes=${scopes.join('+')}`,
        ...(tenant === undefined ? [] : [`tenant=${tenant}`]),
        ...(roles.length > 0 ? [`roles=${roles.join('+')}`] : []),
      ].join(';'),
    )
    .join(','),
})

export const as = (name: string): Record<string, string> => ({ 'x-api-key': keyFor(name) })
