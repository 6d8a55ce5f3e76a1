import { serverCredential } from '@amodal/plugin-http/tokens'
import { Agent, type AgentClient, type CommandContext, type StartChange } from '@amodal/sdk'
import { LOCAL_CALLER } from '@amodal/sdk/loop'
import { createClient, type Client } from '@amodal/sdk/client'

/** The server of `--url`, if the command line has one. */
export function clientOf(context: CommandContext): Client | undefined {
  const { scope, url } = context.options
  if (typeof url !== 'string') return undefined
  const credential = serverCredential(context, url)
  return createClient({
    url,
    tries: 3,
    ...(credential && { credential }),
    ...(typeof scope === 'string' && { scope }),
  })
}

/** The agent of the folder, in this process. */
export async function agentClientOf(
  { start }: CommandContext,
  change: StartChange = {},
): Promise<AgentClient> {
  const kernel = await start({ without: ['http'], ...change })
  return kernel.scope.get(Agent).as(LOCAL_CALLER)
}
