import {
  err,
  messageOf,
  ok,
  readEntries,
  timeLimit,
  type AgentBundle,
  type Failure,
  type JsonObject,
  type Logger,
  type Result,
  type SessionRef,
  type SessionStore,
} from '@amodal/sdk'
import { ANY_SESSION } from '@amodal/sdk/loop'
import type { EventSink, StreamSource } from '@amodal/sdk/wire'
import { withShared } from './agent-state.ts'
import { declarationOf } from './declaration.ts'
import { StateRefused } from './errors.ts'
import { JointReading } from './joint-reading.ts'
import { deltaOf, SessionMirror, type Delta } from './session-mirror.ts'
import { statusOf } from './status.ts'
import { viewOf, type Seen, type View } from './view.ts'

/** ms between two looks at a session, so that a client gets at most 20 patches a second. */
const PACE_MS = 50
const HEARTBEAT_MS = 15_000
const STORE_MS = 10_000

interface Follower {
  readonly view: View
  /** What it has; `undefined`: it is to get a snapshot. */
  seen: Seen | undefined
  /** The last status that it got, as text. */
  status: string | undefined
  readonly sink: EventSink
  /** It reads slower than the state changes. */
  slow: boolean
}

interface Followed {
  readonly ref: SessionRef
  readonly mirror: SessionMirror
  readonly followers: Set<Follower>
  readonly reading: JointReading<Result<JsonObject, Failure>>
  /** What the session is doing, as it was last read. */
  status: JsonObject
  /** Requests that wait for a reading. */
  readers: number
  /** The work on it; a change that comes meanwhile is looked at behind it. */
  work: Promise<void>
  due: boolean
}

/** The state and status of a session at one moment. */
interface Reading extends Seen {
  readonly status: JsonObject
  readonly mirror: SessionMirror
  readonly view: View
}

export interface FollowersParts {
  readonly store: SessionStore
  readonly bundle: () => AgentBundle | undefined
  readonly log: Logger
}

/** Clients that follow the state of sessions. Those of one session share what is read of it. */
export class Followers {
  readonly #parts: FollowersParts
  readonly #followed = new Map<string, Followed>()
  #watch: (() => void) | undefined

  constructor(parts: FollowersParts) {
    this.#parts = parts
  }

  /** Reads a session's state. */
  async read(
    ref: SessionRef,
    roles: readonly string[] | undefined,
  ): Promise<Result<Reading, Failure>> {
    const bundle = this.#parts.bundle()
    const declaration = bundle && declarationOf(bundle)
    if (!declaration) return err(StateRefused('this agent declares no state'))
    const followed = this.#of(ref)
    followed.readers++
    const read = await followed.reading.read()
    followed.readers--
    this.#forget(followed)
    if (!read.ok) return read
    const { mirror } = followed
    const view = viewOf(declaration, roles)
    return ok({ ...mirror.seen(view, declaration), status: read.value, mirror, view })
  }

  /**
   * Writes the state as it changes.
   *
   * @param from the version that the client has
   */
  follow(
    ref: SessionRef,
    { mirror, view }: { readonly mirror: SessionMirror; readonly view: View },
    from: string | undefined,
  ): StreamSource {
    return {
      send: async (sink) => {
        const follower: Follower = { view, seen: undefined, status: undefined, sink, slow: false }
        this.#begin(follower, mirror, from)
        const followed = this.#join(ref, mirror, follower)
        const beat = setInterval(() => sink.write(':\n\n'), HEARTBEAT_MS)
        beat.unref()
        await new Promise<void>((resolve) => sink.onClosed(resolve))
        clearInterval(beat)
        this.#leave(followed, follower)
        sink.end()
      },
    }
  }

  /** A session has something new, or the agent, which concerns all of them. */
  changed(ref: SessionRef): void {
    if (ref.session === ANY_SESSION) {
      for (const one of this.#followed.values()) if (one.ref.tenant === ref.tenant) this.#due(one)
      return
    }
    const followed = this.#followed.get(keyOf(ref))
    if (followed) this.#due(followed)
  }

  #due(followed: Followed): void {
    if (followed.due) return
    followed.due = true
    followed.work = followed.work.then(() => this.#look(followed))
  }

  /** The agent has other files: what is seen may be something else. */
  rewired(): void {
    for (const followed of this.#followed.values()) {
      for (const follower of followed.followers) follower.seen = undefined
      this.changed(followed.ref)
    }
  }

  close(): void {
    this.#watch?.()
    this.#watch = undefined
    for (const { followers } of this.#followed.values())
      for (const { sink } of followers) sink.end()
    this.#followed.clear()
  }

  /** As it is at this moment: others may have read on in the same mirror. */
  #begin(follower: Follower, mirror: SessionMirror, from: string | undefined): void {
    const bundle = this.#parts.bundle()
    const declaration = bundle && declarationOf(bundle)
    if (!declaration) return
    const seen = mirror.seen(follower.view, declaration)
    const delta = from === undefined ? undefined : mirror.since(from, follower.view, declaration)
    if (!delta) write(follower, snapshotText(seen))
    else if (delta.base !== delta.version) write(follower, deltaText(delta))
    follower.seen = seen
  }

  /** The session as those have it who follow or read it at this moment. */
  #of(ref: SessionRef, mirror = new SessionMirror()): Followed {
    const known = this.#followed.get(keyOf(ref))
    if (known) return known
    const followed: Followed = {
      ref,
      mirror,
      followers: new Set<Follower>(),
      reading: new JointReading(() => this.#refresh(ref, mirror)),
      status: {},
      readers: 0,
      work: Promise.resolve(),
      due: false,
    }
    this.#followed.set(keyOf(ref), followed)
    return followed
  }

  #forget(followed: Followed): void {
    const { ref, followers, readers } = followed
    if (followers.size > 0 || readers > 0) return
    if (this.#followed.get(keyOf(ref)) === followed) this.#followed.delete(keyOf(ref))
    if (this.#followed.size > 0) return
    this.#watch?.()
    this.#watch = undefined
  }

  #join(ref: SessionRef, mirror: SessionMirror, follower: Follower): Followed {
    const followed = this.#of(ref, mirror)
    followed.followers.add(follower)
    this.#watch ??= this.#parts.store.watch((changed) => this.changed(changed))
    this.changed(ref) // what has changed since it was read
    return followed
  }

  #leave(followed: Followed, follower: Follower): void {
    followed.followers.delete(follower)
    this.#forget(followed)
  }

  async #look(followed: Followed): Promise<void> {
    followed.due = false
    const read = await followed.reading.read()
    if (!read.ok) {
      this.#parts.log.warn('live-state.unread', {
        session: followed.ref.session,
        error: read.error,
      })
      return
    }
    followed.status = read.value
    this.#tell(followed)
    await new Promise((resolve) => setTimeout(resolve, PACE_MS).unref())
  }

  #tell(followed: Followed): void {
    const { mirror, followers } = followed
    const status = statusText(followed.status)
    const bundle = this.#parts.bundle()
    const declaration = bundle && declarationOf(bundle)
    if (!declaration) return
    const seen = new Map<string, Seen>()
    const texts = new Map<string, string>()
    for (const follower of followers) {
      const { view } = follower
      const now = seen.get(view.key) ?? mirror.seen(view, declaration)
      seen.set(view.key, now)
      if (follower.slow) continue
      const isStatusNew = follower.status !== status
      if (isStatusNew) follower.status = status
      if (follower.seen?.version === now.version) {
        if (isStatusNew && !write(follower, status)) void this.#catchUp(followed.ref, follower)
        continue
      }
      const from = `${view.key}\0${follower.seen?.version ?? ''}`
      const text =
        texts.get(from) ??
        (follower.seen ? deltaText(deltaOf(follower.seen, now)) : snapshotText(now))
      texts.set(from, text)
      follower.seen = now
      if (!write(follower, isStatusNew ? text + status : text))
        void this.#catchUp(followed.ref, follower)
    }
  }

  /** A slow reader gets a snapshot once it has read what there is. */
  async #catchUp(ref: SessionRef, follower: Follower): Promise<void> {
    follower.slow = true
    await follower.sink.drained()
    follower.slow = false
    follower.seen = undefined
    this.changed(ref)
  }

  async #shared({ tenant }: SessionRef, signal: AbortSignal): Promise<Result<JsonObject, Failure>> {
    const bundle = this.#parts.bundle()
    const declaration = bundle && declarationOf(bundle)
    return declaration
      ? withShared({}, { store: this.#parts.store, tenant, declaration }, signal)
      : ok({})
  }

  /** Reads on in the mirror; resolves with the status of the session. */
  async #refresh(ref: SessionRef, mirror: SessionMirror): Promise<Result<JsonObject, Failure>> {
    const limit = timeLimit(STORE_MS, 'reading the state of a session')
    try {
      const stored = await this.#parts.store.entries(ref, { after: mirror.head }, limit)
      const entries = stored.ok ? readEntries(stored.value) : stored
      if (!entries.ok) return entries
      // Behind the entries: what they say of the agent's properties is in it.
      const shared = await this.#shared(ref, limit)
      if (!shared.ok) return shared
      mirror.share(shared.value)
      mirror.apply(entries.value)
      const row = await this.#parts.store.row(ref, limit)
      if (!row.ok) return row
      return ok(row.value ? statusOf(row.value) : {})
    } catch (cause) {
      return err({ code: 'STORE_FAILED', message: messageOf(cause), cause })
    }
  }
}

const keyOf = ({ tenant, session }: SessionRef): string => `${tenant}\0${session}`

const write = ({ sink }: Follower, text: string): boolean => sink.write(text)

const snapshotText = ({ version, state }: Seen): string =>
  eventText('state_snapshot', version, { version, state })
const deltaText = ({ base, version, patch }: Delta): string =>
  eventText('state_delta', version, { base, version, patch })

/** It has no id: a client goes on from the version of the state. */
const statusText = (status: JsonObject): string =>
  `event: state_status\ndata: ${JSON.stringify({ type: 'state_status', ...status })}\n\n`

const eventText = (type: string, id: string, data: object): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
