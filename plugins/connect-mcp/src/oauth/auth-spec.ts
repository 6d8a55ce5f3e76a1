import { err, failure, ok, type Failure, type Result, type Secrets } from '@amodal/sdk'
import { z } from 'zod'

const text = z.string().min(1)
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA'] as const
const isWeb = (value: string): boolean => /^https?:$/.test(URL.parse(value)?.protocol ?? '')

const oauth = z
  .strictObject({
    type: z.literal('oauth2'),
    grant: z.enum(['authorization_code', 'client_credentials']).default('authorization_code'),
    /** The only authorization server that credentials may be sent to. */
    issuer: text
      .refine((value) => value.startsWith('env:') || isWeb(value), 'is no http or https address')
      .exactOptional(),
    clientId: text.exactOptional(),
    clientSecret: text.exactOptional(),
    /** PKCS #8 in PEM, for `private_key_jwt`. */
    privateKey: text.exactOptional(),
    algorithm: z.enum(ALGORITHMS).exactOptional(),
    /** A document at an https address that is the id of this client. */
    clientMetadataUrl: z.url({ protocol: /^https$/ }).exactOptional(),
    scopes: z.array(text).default([]),
  })
  .superRefine((spec, context) => {
    const missing = (path: keyof typeof spec, why: string): void =>
      context.addIssue({ code: 'custom', path: [path], message: `is missing: ${why}` })
    const isSecret = spec.clientSecret !== undefined || spec.privateKey !== undefined
    if (isSecret && spec.clientId === undefined) missing('clientId', 'whose secret it is')
    if (isSecret && spec.issuer === undefined)
      missing('issuer', 'without it the server would decide who is sent the secret')
    if (spec.privateKey !== undefined && spec.algorithm === undefined)
      missing('algorithm', `the key signs with one of ${ALGORITHMS.join(', ')}`)
    if (spec.grant === 'client_credentials' && !isSecret)
      missing('clientSecret', 'client_credentials need it, or a privateKey')
  })

/** How a remote server knows this agent; left out, it is asked for once the server wants it. */
export const authSpec = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  oauth,
])
export type AuthSpec = z.output<typeof authSpec>

/** The same, with `env:` resolved. */
export interface OAuthClient {
  readonly grant: 'authorization_code' | 'client_credentials'
  readonly issuer?: string
  readonly clientId?: string
  readonly clientSecret?: string
  readonly privateKey?: string
  readonly algorithm?: string
  readonly clientMetadataUrl?: string
  readonly scope?: string
}

const REFERENCES = ['issuer', 'clientId', 'clientSecret', 'privateKey'] as const

/**
 * @param spec left out: a client that registers itself
 * @returns `undefined` where the server is never signed in to
 */
export function resolveAuth(
  spec: AuthSpec | undefined,
  server: string,
  secrets: Pick<Secrets, 'resolve'>,
): Result<OAuthClient | undefined, Failure> {
  if (spec === undefined) return ok({ grant: 'authorization_code' })
  if (spec.type === 'none') return ok(undefined)
  const { grant, algorithm, clientMetadataUrl, scopes } = spec
  const named: Partial<Record<(typeof REFERENCES)[number], string>> = {}
  for (const field of REFERENCES) {
    const given = spec[field]
    if (given === undefined) continue
    const value = secrets.resolve(given, `auth.${field} of the MCP server "${server}"`)
    if (!value.ok) return value
    named[field] = value.value
  }
  if (named.issuer !== undefined && !isWeb(named.issuer))
    return err(
      failure('OUTBOUND_REFUSED', `auth.issuer of the MCP server "${server}" is no valid address`),
    )
  return ok({
    grant,
    ...named,
    ...(algorithm !== undefined && { algorithm }),
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  })
}
