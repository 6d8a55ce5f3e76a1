import { createHash } from 'node:crypto'
import { isObject, type JsonObject, type SessionId } from '@amodal/sdk'
import { LASTING } from '@amodal/sdk/loop'
import type { Pointer } from './deployment-store.ts'

/** Stays where a person begins anew in the same session. */
const KEY = `${LASTING}deploy`

/** The state of a session that is held to a snapshot; `null`: to none. */
export const pinOf = (snapshot: string | null): JsonObject => ({ [KEY]: { snapshot } })

/** The snapshot that a session is held to. */
export function pinnedIn(state: JsonObject): string | undefined {
  const pin = state[KEY]
  const snapshot = isObject(pin) ? pin['snapshot'] : undefined
  return typeof snapshot === 'string' ? snapshot : undefined
}

/**
 * Whether a new session is one of the share that gets the canary: by its id, so that all instances
 * agree, and by the canary, so that it is not the same sessions each time.
 */
export function getsCanary({ canary, percent }: Pointer, session: SessionId): boolean {
  if (canary === null || percent <= 0) return false
  const digest = createHash('sha256').update(`${canary}:${session}`).digest()
  return digest.readUInt32BE(0) % 10_000 < percent * 100
}
