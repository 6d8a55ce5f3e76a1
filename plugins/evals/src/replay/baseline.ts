import {
  canonical,
  type ModelCall,
  type RunContext,
  type SessionId,
  type TenantId,
  type ToolResult,
} from '@amodal/sdk'
import {
  callKey,
  readingOf,
  readsFiles,
  requestOf,
  type Course,
  type ModelRequest,
  type ReplayedCall,
} from './course.ts'
import type { Playback, Recording } from './recording.ts'

/** A call as its tool received it. */
export interface CallArguments {
  readonly name: string
  /** Canonical JSON. */
  readonly args: string
}

/** What the unchanged agent sends to its model when a conversation is replayed. */
export interface Baseline {
  readonly recording: Recording
  /** The replay itself: that of a change is in the same tenant and session, in another kernel. */
  readonly tenant: TenantId
  readonly session: SessionId
  /** In their order, by recorded session. */
  readonly requests: ReadonlyMap<SessionId, readonly ModelRequest[]>
  /** By {@link callKey}. */
  readonly calls: ReadonlyMap<string, CallArguments>
  /** What tools that read files give now, by {@link callKey}. */
  readonly reads: ReadonlyMap<string, string>
  /** The journal that came of it. */
  readonly replayed: Recording
  readonly problems: readonly string[]
}

/** Notes what is sent, and changes nothing. */
export class BaselineCourse implements Course {
  readonly requests = new Map<SessionId, ModelRequest[]>()
  readonly calls = new Map<string, CallArguments>()
  readonly reads = new Map<string, string>()
  readonly stopped = undefined
  readonly #recordedIds: (text: string) => string
  readonly #seen = new Set<string>()

  /** @param recordedIds puts the ids of recorded sessions in the place of those of the replay */
  constructor(recordedIds: (text: string) => string) {
    this.#recordedIds = recordedIds
  }

  onRequest(run: RunContext, call: ModelCall, playback: Playback | undefined): void {
    const step = `${run.run} ${call.step}`
    if (!playback || this.#seen.has(step)) return
    this.#seen.add(step)
    const { session } = playback.recording
    const requests = this.requests.get(session) ?? []
    this.requests.set(session, requests)
    requests.push(requestOf(call, this.#recordedIds))
  }

  isLive(): boolean {
    return false
  }

  async execute({ args, ctx, playback, recorded, tool }: ReplayedCall): Promise<ToolResult> {
    if (!playback) return recorded()
    const key = callKey(playback.recording.session, ctx.callId)
    this.calls.set(key, { name: tool.name, args: canonical(args) })
    if (readsFiles(tool)) this.reads.set(key, readingOf(await tool.execute(args, ctx)))
    return recorded()
  }
}
