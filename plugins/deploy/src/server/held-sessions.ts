import type { AgentBundle, Logger, SessionBundle, SessionBundles, SessionTurn } from '@amodal/sdk'
import type { DeployedSource } from './deployed-source.ts'
import { getsCanary, pinnedIn, pinOf } from './session-pin.ts'
import type { SnapshotBundles } from './snapshot-bundles.ts'

/** Codes of a snapshot that is not to be had any more, however often it is tried. */
const UNOBTAINABLE: ReadonlySet<string> = new Set([
  'DEPLOYMENT_NOT_FOUND',
  'SNAPSHOT_TAMPERED',
  'SNAPSHOT_UNREADABLE',
])

interface Parts {
  readonly bundles: SnapshotBundles
  readonly source: () => DeployedSource | undefined
  readonly log: Logger
}

/** Holds each session to the snapshot with which it began, as its journal names it. */
export class HeldSessions implements SessionBundles {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  held(): readonly AgentBundle[] {
    return this.#parts.bundles.held()
  }

  choose(current: AgentBundle, turn: SessionTurn): SessionBundle | Promise<SessionBundle> {
    const inUse = this.#parts.bundles.idOf(current)
    if (turn.opensSession) return this.#opening(current, inUse, turn)
    const pinned = pinnedIn(turn.sessionState)
    return pinned === undefined || pinned === inUse
      ? { bundle: current }
      : this.#pinned(current, inUse, pinned, turn)
  }

  #opening(
    current: AgentBundle,
    inUse: string | undefined,
    turn: SessionTurn,
  ): SessionBundle | Promise<SessionBundle> {
    const pointer = this.#parts.source()?.pointer
    const own: SessionBundle = {
      bundle: current,
      ...(inUse !== undefined && { sessionState: pinOf(inUse) }),
    }
    const { canary = null } = pointer ?? {}
    if (!pointer || canary === null || canary === inUse || !getsCanary(pointer, turn.session))
      return own
    return this.#canary(own, canary)
  }

  async #canary(own: SessionBundle, canary: string): Promise<SessionBundle> {
    const loaded = await this.#parts.bundles.of(canary)
    if (loaded.ok) return { bundle: loaded.value, sessionState: pinOf(canary) }
    const { code, message } = loaded.error
    this.#parts.log.warn('deploy.canary_not_used', { snapshot: canary, code, message })
    return own
  }

  async #pinned(
    current: AgentBundle,
    inUse: string | undefined,
    pinned: string,
    { session }: SessionTurn,
  ): Promise<SessionBundle> {
    const loaded = await this.#parts.bundles.of(pinned)
    if (loaded.ok) return { bundle: loaded.value }
    const { code, message } = loaded.error
    this.#parts.log.warn('deploy.session_moved', { session, snapshot: pinned, code, message })
    // One that can be had again is tried again with the next message.
    return {
      bundle: current,
      changed: true,
      ...(UNOBTAINABLE.has(code) && { sessionState: pinOf(inUse ?? null) }),
    }
  }
}
