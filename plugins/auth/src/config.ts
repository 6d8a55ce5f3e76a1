import { isId } from '@amodal/sdk'
import { z } from 'zod'
import { PERSON_ISSUER } from './credential.ts'

/** Scopes of a credential that names none: sending messages and listing one's own sessions. */
export const USUAL_SCOPES = ['chat', 'sessions']

const name = z.string().min(1).max(100)
/** A role or a scope. */
export const word = z.string().regex(/^(?:\*|[\w.:-]{1,100})$/, 'must be a word such as chat, or *')
const tenant = z.string().refine(isId, 'must be 1 to 128 letters, digits or any of . : @ _ -')

/** The facts that an API key grants to its holder. */
export const keyFacts = z.strictObject({
  name: name.optional(),
  roles: z.array(word).default([]),
  scopes: z.array(word).default(USUAL_SCOPES),
  /** Whose data; a request may say it where this is left out. */
  tenant: tenant.optional(),
  expires: z.iso.datetime({ offset: true }).or(z.iso.date()).optional(),
})
export type KeyFacts = z.output<typeof keyFacts>

/**
 * Signatures that only the issuer can make. Those of a shared secret, and `none`, are not among
 * them.
 */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

const isSafeAddress = (text: string): boolean => {
  const url = URL.parse(text)
  return (
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname))
  )
}

/** A claim: its name, or the path to it, such as `realm_access.roles`. */
const claim = z.string().min(1)

const issuer = z.strictObject({
  /**
   * Stands before the subject, so that two issuers, or an issuer and a key, never mean the same
   * principal.
   */
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/)
    .refine((text) => text !== 'key' && text !== 'local', 'is a reserved name')
    .default('user'),
  issuer: z
    .string()
    .min(1)
    .refine((text) => text !== PERSON_ISSUER, 'is a reserved name'),
  audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  jwksUrl: z
    .string()
    .refine(
      isSafeAddress,
      'must be an https address: someone who can change the keys in transit can impersonate anyone',
    ),
  algorithms: z.array(z.enum(ALGORITHMS)).min(1).default(['RS256', 'ES256', 'EdDSA']),
  clockToleranceSeconds: z.int().min(0).max(300).default(30),
  /** Seconds after its `iat` for which a token counts at most. */
  maxAgeSeconds: z.int().min(1).optional(),
  claims: z
    .strictObject({
      principal: claim.default('sub'),
      roles: claim.optional(),
      scopes: claim.optional(),
      tenant: claim.optional(),
      name: claim.default('name'),
    })
    .prefault({}),
  /** Roles of everybody, where no claim says them. */
  roles: z.array(word).default([]),
  /** Scopes of every token, if no claim names them. */
  scopes: z.array(word).default(USUAL_SCOPES),
  /**
   * The `scope_id` of a request may say whose data. Only where tokens belong to backends, and not
   * to people.
   */
  choosesTenant: z.boolean().default(false),
  /** ms after which keys are asked for again, in the background. */
  refreshMs: z.int().min(1_000).default(600_000),
  /** ms for which known keys count while the issuer cannot be reached. */
  keepMs: z.int().min(0).default(86_400_000),
})
export type IssuerConfig = z.output<typeof issuer>

export const config = z.strictObject({
  /** Keys given here: `{ "key": "env:SUPPORT_KEY", "name": "support", "roles": ["support"] }`. */
  keys: z.array(keyFacts.extend({ key: z.string().min(1) })).default([]),
  /** Issuers of tokens. */
  jwt: z
    .union([issuer.transform((one) => [one]), z.array(issuer)])
    .refine(
      (all) =>
        new Set(all.map((one) => one.name)).size === all.length &&
        new Set(all.map((one) => one.issuer)).size === all.length,
      'each issuer needs a `name` of its own',
    )
    .default([]),
  /** Tokens that a backend gets for the people whom it has signed in. */
  tokens: z
    .strictObject({
      /** 32 characters or more, the same for all instances. */
      secret: z.string().min(1).optional(),
    })
    .prefault({}),
  /** Keys are also kept in the database, where there is one. */
  database: z.boolean().default(true),
  /** Logs at the start that requests are not authenticated. */
  warn: z.boolean().default(true),
  /**
   * While requests are not authenticated, decisions need the token stored in the agent folder:
   * anyone who can read that file may decide.
   */
  localToken: z.boolean().default(false),
  /** The agent folder: the token is kept in its `.amodal/local-token`. Given by the server. */
  dir: z.string().optional(),
})
export type AuthConfig = z.output<typeof config>
