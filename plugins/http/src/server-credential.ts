import type { CommandContext } from '@amodal/sdk'
import { readLocalToken } from '@amodal/sdk/files'
import { isLoopback } from './same-origin.ts'

/**
 * The credential that a command sends to a running server: `AMODAL_CREDENTIAL`, or the token of the
 * agent folder where the server is on this machine.
 */
export const serverCredential = (
  { env, dir }: Pick<CommandContext, 'env' | 'dir'>,
  url: string,
): string | undefined =>
  env['AMODAL_CREDENTIAL'] ??
  (isLoopback(URL.parse(url)?.hostname ?? '') ? readLocalToken(dir) : undefined)
