import { isLoopback } from '@amodal/plugin-http/tokens'
import {
  Agent,
  LOCAL_TENANT,
  principalId,
  type AgentFace,
  type CommandContext,
  type StartChange,
} from '@amodal/sdk'
import { readLocalToken } from '@amodal/sdk/files'
import { createClient, type Client } from '@amodal/sdk/client'

/** The server that the command line names, if it does. */
export function clientOf({
  env,
  dir,
  options: { scope, url },
}: CommandContext): Client | undefined {
  if (typeof url !== 'string') return undefined
  const credential =
    env['AMODAL_CREDENTIAL'] ??
    (isLoopback(URL.parse(url)?.hostname ?? '') ? readLocalToken(dir) : undefined)
  return createClient({
    url,
    tries: 3,
    ...(credential && { credential }),
    ...(typeof scope === 'string' && { scope }),
  })
}

/** The agent of the folder, in this process. */
export async function faceOf(
  { start }: CommandContext,
  change: StartChange = {},
): Promise<AgentFace> {
  const kernel = await start({ without: ['http'], ...change })
  return kernel.scope.get(Agent).as({ tenant: LOCAL_TENANT, principal: principalId('local') })
}
