import type { CommandContext } from '@amodal/sdk'
import { readLocalToken, storedCredential } from '@amodal/sdk/files'
import { isLoopback } from './same-origin.ts'

/**
 * The credential that a command sends to a running server: `AMODAL_CREDENTIAL`, what `amodal auth
 * login` has stored for the server, or the token of the agent folder where the server is on this
 * machine.
 */
export const serverCredential = (
  { env, dir }: Pick<CommandContext, 'env' | 'dir'>,
  url: string,
): string | undefined =>
  env['AMODAL_CREDENTIAL'] ??
  storedCredential(env, url) ??
  (isLoopback(URL.parse(url)?.hostname ?? '') ? readLocalToken(dir) : undefined)
