import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where a server of one machine keeps the token that decisions need, within the agent folder. */
export const LOCAL_TOKEN_FILE = '.amodal/local-token'

/**
 * The token of the server of a folder, for clients that may read it; `undefined` where there is
 * none to read.
 */
export function readLocalToken(dir: string): string | undefined {
  try {
    return readFileSync(join(dir, LOCAL_TOKEN_FILE), 'utf8').trim()
  } catch {
    // There is no token file, or it belongs to another user: the server reports what is missing.
    return undefined
  }
}
