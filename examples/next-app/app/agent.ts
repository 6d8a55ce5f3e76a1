import 'server-only'
import { createClient, type Client } from '@amodal/sdk/client'

const LIMIT_MS = 10_000

/** What `POST /auth/tokens` of the agent's server returns. */
interface PersonToken {
  readonly token: string
  /** ISO 8601. */
  readonly expires_at: string
}

/** Address of the agent's server, for browsers as well. */
export const agentUrl = (): string => variable('AMODAL_URL')

/**
 * A token with which the agent's server knows a person. It is made with the key of this site,
 * which never leaves this file.
 *
 * @param origin of the pages that may use it. Default: any
 */
export async function tokenOf(user: string, origin?: string): Promise<PersonToken> {
  const response = await fetch(new URL('/auth/tokens', agentUrl()), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${variable('AMODAL_KEY')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ user, ...(origin !== undefined && { origin }) }),
    cache: 'no-store',
    signal: AbortSignal.timeout(LIMIT_MS),
  })
  if (!response.ok) throw new Error(`the agent's server gives no token: ${response.status}`)
  return response.json() as Promise<PersonToken>
}

/** The agent as this person sees it, for components that render on the server. */
export async function agentOf(user: string): Promise<Client> {
  const { token } = await tokenOf(user)
  return createClient({ url: agentUrl(), credential: token })
}

function variable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: see README.md`)
  return value
}
