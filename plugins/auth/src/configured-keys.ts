import { err, failure, ok, type Failure, type Result, type Secrets } from '@amodal/sdk'
import { digestOf, parseKey, type KnownKey } from './api-key.ts'
import { keyFacts, type AuthConfig, type KeyFacts } from './config.ts'

export const VARIABLE = 'AMODAL_API_KEYS'

/**
 * Keys from the configuration, not created here: in config, and in `AMODAL_API_KEYS` as
 * `amodal_…;name=support;roles=support+billing;scopes=chat+sessions;tenant=acme`, with commas or
 * spaces between them.
 */
export function configuredKeys(
  { keys }: Pick<AuthConfig, 'keys'>,
  secrets: Secrets,
): Result<ReadonlyMap<string, KnownKey>, Failure> {
  const known = new Map<string, KnownKey>()
  const add = (text: string, facts: KeyFacts, where: string): Failure | undefined => {
    const sent = parseKey(text)
    if (!sent)
      return failure(
        'BAD_CONFIG',
        `${where} is no key: \`amodal ops keys create --print\` makes one`,
      )
    if (known.has(sent.id)) return failure('BAD_CONFIG', `${where} is given twice`)
    known.set(sent.id, knownKey(sent.id, digestOf(sent), facts))
    return undefined
  }
  for (const [at, { key, ...facts }] of keys.entries()) {
    const where = `keys[${at}].key`
    const text = secrets.resolve(key, where)
    const problem = text.ok ? add(text.value, facts, where) : text.error
    if (problem) return err(problem)
  }
  const entries = (secrets.get(VARIABLE) ?? '').split(/[\s,]+/).filter((entry) => entry !== '')
  for (const [at, entry] of entries.entries()) {
    const where = `${VARIABLE}, key ${at + 1}`
    const [key = '', ...fields] = entry.split(';')
    const facts = factsOf(fields)
    const problem = facts.ok
      ? add(key, facts.value, where)
      : failure('BAD_CONFIG', `${where}: ${facts.error}`)
    if (problem) return err(problem)
  }
  return ok(known)
}

function factsOf(fields: readonly string[]): Result<KeyFacts, string> {
  const facts: Record<string, string | readonly string[]> = {}
  for (const field of fields) {
    const [name = '', ...value] = field.split('=')
    facts[name] =
      name === 'roles' || name === 'scopes'
        ? value
            .join('=')
            .split('+')
            .filter((word) => word !== '')
        : value.join('=')
  }
  const read = keyFacts.safeParse(facts)
  return read.success
    ? ok(read.data)
    : err(
        read.error.issues
          .map(({ path, message }) => `${path.map(String).join('.') || 'it'}: ${message}`)
          .join('; '),
      )
}

export const knownKey = (
  id: string,
  digest: Uint8Array,
  { name = id, roles, scopes, tenant, expires }: KeyFacts,
): KnownKey => ({
  id,
  digest,
  name,
  roles,
  scopes,
  revoked: false,
  ...(tenant !== undefined && { tenant }),
  ...(expires !== undefined && { expiresAt: Date.parse(expires) }),
})
