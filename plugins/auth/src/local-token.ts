import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { LOCAL_IDENTITY, type Identity } from '@amodal/sdk'
import { isPrivate, keyFile, LOCAL_TOKEN_FILE } from '@amodal/sdk/files'
import { digestOf, isGood, makeKey, parseKey, type KnownKey } from './api-key.ts'
import type { Credential } from './credential.ts'

/**
 * The token of the server of a folder. It outlives a restart, so that a page that is open goes on.
 * A token file that others could read is replaced by a new token, since the old one may be known.
 *
 * @throws the error of the file system if it can be neither read nor created
 */
export function localToken(dir: string): string {
  const file = join(dir, LOCAL_TOKEN_FILE)
  const make = (): string => makeKey().text
  const kept = isPrivate(file) ? keyFile(file, make).trim() : ''
  if (parseKey(kept)) return kept
  rmSync(file, { force: true })
  return keyFile(file, make)
}

const HOW = `this needs the token of the server, so that no other process decides for you. It stands in ${LOCAL_TOKEN_FILE} of the agent folder: \
the studio has it by the link that the server printed, the command line by --dir, others send it as \`Authorization: Bearer …\``

/**
 * All requests from this machine share one identity. Only those with the token may decide.
 */
export function locally(token: string): (credential: Credential) => Identity {
  const sent = parseKey(token)
  const known: KnownKey | undefined = sent && {
    id: sent.id,
    digest: digestOf(sent),
    name: 'local',
    roles: [],
    scopes: [],
    revoked: false,
  }
  const stranger: Identity = { ...LOCAL_IDENTITY, mayNotDecide: HOW }
  return (credential) =>
    credential.kind === 'key' && isGood(credential.key, known, Date.now())
      ? LOCAL_IDENTITY
      : stranger
}
