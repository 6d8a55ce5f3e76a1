import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { LOCAL_IDENTITY, type Identity } from '@amodal/sdk'
import { isPrivate, keyFile, LOCAL_TOKEN_FILE } from '@amodal/sdk/files'
import { digestOf, isGood, makeKey, parseKey, type KnownKey } from './api-key.ts'
import type { Credential } from './credential.ts'

/**
 * The token of the server of a folder. It outlives a restart, so that a page that is open goes on.
 * One that others could read is not made private, since it is known: another one takes its place.
 *
 * @throws what the file system says where it can be neither read nor made
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
 * Whoever has the token is everybody on this machine; whoever has not is that too, but decides
 * nothing.
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
