import {
  isList,
  type Json,
  type JsonObject,
  type SequencedEntry,
  type StatePatch,
} from '@amodal/sdk'
import { diff } from './diff.ts'
import type { Declaration } from './declaration.ts'
import { stateIn } from './stored-state.ts'
import { seenIn, type Seen, type View } from './view.ts'

/** Changes that a reader may go on from; what is older is answered with a snapshot. */
const STEPS = 1_000

export interface Delta {
  readonly base: string
  readonly version: string
  readonly patch: readonly StatePatch[]
}

/** The state of one session, and how it came to be, as its journal says. */
export class SessionMirror {
  /** The last entry that is in it. */
  head = 0
  /** Before the first of the steps. */
  #base: JsonObject = {}
  #steps: JsonObject[] = []
  #now: JsonObject = {}
  /** The agent's properties, as its store has them: newer than any copy in the journal. */
  #shared: JsonObject = {}

  /**
   * Takes the agent's properties as the store has them. Of two who read at once, one may be late
   * with older values.
   */
  share(copies: JsonObject): void {
    const newer = Object.entries(copies).filter(
      ([key, copy]) => versionOf(copy) > versionOf(this.#shared[key]),
    )
    this.#shared = { ...this.#shared, ...Object.fromEntries(newer) }
  }

  apply(entries: readonly SequencedEntry[]): void {
    for (const entry of entries) {
      // Two who read at once have the same ones.
      if (entry.seq <= this.head) continue
      this.head = entry.seq
      const step =
        entry.kind === 'note' || entry.kind === 'user_message'
          ? stateIn(entry.session_state)
          : undefined
      if (!step) continue
      this.#now = { ...this.#now, ...step }
      this.#steps.push(step)
      if (this.#steps.length > STEPS) this.#base = { ...this.#base, ...this.#steps.shift() }
    }
  }

  seen(view: View, declaration: Declaration): Seen {
    return seenIn({ ...this.#now, ...this.#shared }, view, declaration)
  }

  /** What has changed since a version; `undefined`: it is not known any more. */
  since(version: string, view: View, declaration: Declaration): Delta | undefined {
    let at = this.#base
    const now = this.seen(view, declaration)
    if (version === now.version) return { base: version, version, patch: [] }
    for (const step of [{}, ...this.#steps]) {
      at = { ...at, ...step }
      // Of the agent's properties only the newest are known.
      const seen = seenIn({ ...at, ...this.#shared }, view, declaration)
      if (seen.version === version) return deltaOf(seen, now)
    }
    return undefined
  }
}

const versionOf = (copy: Json | undefined): number => (isList(copy) ? Number(copy[0]) : 0)

export const deltaOf = (before: Seen, after: Seen): Delta => ({
  base: before.version,
  version: after.version,
  patch: diff(before.state, after.state),
})
