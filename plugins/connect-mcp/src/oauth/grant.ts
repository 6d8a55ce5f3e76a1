import { trySync } from '@amodal/sdk'
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { z } from 'zod'

/** What somebody who has signed in has given to this agent. */
export interface Grant {
  /** Registered by this agent; none where the agent's files name one. */
  readonly client?: StoredOAuthClientInformation
  /** None once the authorization server has taken them back. */
  readonly tokens?: StoredOAuthTokens
  /** ms since the epoch. */
  readonly expiresAt?: number
  readonly scope?: string
  /** With which tokens are refreshed. */
  readonly discovery?: OAuthDiscoveryState
}

/** Somebody is at the authorization server, and comes back with its `state`. */
export interface Login {
  readonly connection: string
  /** Of the grant that it is for. */
  readonly grant: string
  readonly redirectUrl: string
  readonly verifier: string
  readonly discovery: OAuthDiscoveryState
  readonly client?: StoredOAuthClientInformation
  readonly scope?: string
  /** Who signs in, for the log. It goes with the login: what is kept names nobody. */
  readonly by: string
}

// Both are written by this plugin alone, and sealed: what is checked is that they are of this form.
const client = z.looseObject({ client_id: z.string() })
const discovery = z.looseObject({ authorizationServerUrl: z.string() })
const grant = z.looseObject({
  client: client.optional(),
  tokens: z.looseObject({ access_token: z.string(), token_type: z.string() }).optional(),
  expiresAt: z.number().optional(),
  scope: z.string().optional(),
  discovery: discovery.optional(),
})
const login = z.looseObject({
  connection: z.string(),
  grant: z.string(),
  redirectUrl: z.string(),
  verifier: z.string(),
  discovery,
  client: client.optional(),
  by: z.string(),
})

const readAs = <T>(schema: z.ZodType, text: string): T | undefined => {
  const read = trySync(
    () => schema.parse(JSON.parse(text)) as T, // its form was checked just now
    () => undefined,
  )
  return read.ok ? read.value : undefined
}

export const readGrant = (text: string): Grant | undefined => readAs<Grant>(grant, text)
export const readLogin = (text: string): Login | undefined => readAs<Login>(login, text)

/** Tokens with the time at which they end. */
export function grantOf(
  tokens: StoredOAuthTokens,
  { scope, ...more }: Omit<Grant, 'tokens' | 'expiresAt'>,
): Grant {
  const granted = tokens.scope ?? scope // left out where it is what was asked for (RFC 6749, 5.1)
  return {
    ...more,
    tokens,
    ...(tokens.expires_in !== undefined && { expiresAt: Date.now() + tokens.expires_in * 1_000 }),
    ...(granted !== undefined && { scope: granted }),
  }
}
