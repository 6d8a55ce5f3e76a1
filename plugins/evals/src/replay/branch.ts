import type { CallId, ModelCall, RunContext, SessionId, ToolOutcome, ToolResult } from '@amodal/sdk'
import type { Baseline } from './baseline.ts'
import {
  callKey,
  readingOf,
  readsFiles,
  requestOf,
  type Course,
  type ModelRequest,
  type ReplayedCall,
} from './course.ts'
import type { Playback } from './recording.ts'
import { RecordedCalls } from './recorded-calls.ts'
import { resultOf } from './recorded-tools.ts'
import { requestDifference, type RequestDifference } from './request-difference.ts'

/** A call that the record does not have. */
export const NOT_REPLAYED = 'EVAL_CALL_NOT_REPLAYED'

/** How a call of the changed agent was answered. */
export type AnsweredBy = 'record' | 'files' | 'refused'

/** Where the requests of one session leave those of the record. */
export interface Leaving {
  readonly session: SessionId
  /** The session that it repeats; `undefined`: a sub-agent that the record does not have. */
  readonly playback: Playback | undefined
  /** Requests before it; the recorded reply with this index is the first that does not count. */
  readonly index: number
  readonly difference: RequestDifference
  readonly request: ModelRequest
}

interface Session {
  readonly playback: Playback | undefined
  requests: number
  isLive: boolean
}

/**
 * Compares each request of a changed agent with that of the unchanged one. While they are the same,
 * the record answers; from the first that differs, the model itself does. Nothing outside is
 * called: calls of the record have its results, others are refused.
 */
export class BranchCourse implements Course {
  /** In the order in which they left the record. */
  readonly leavings: Leaving[] = []
  readonly answered = new Map<string, AnsweredBy>()
  /** Requests that the model itself answered. */
  modelCalls = 0
  #stopped: string | undefined
  readonly #baseline: Baseline
  readonly #limit: number
  readonly #calls: RecordedCalls
  readonly #recordedIds: (text: string) => string
  readonly #sessions = new Map<SessionId, Session>()
  readonly #seen = new Set<string>()

  constructor(baseline: Baseline, limit: number, recordedIds: (text: string) => string) {
    this.#baseline = baseline
    this.#limit = limit
    this.#recordedIds = recordedIds
    this.#calls = new RecordedCalls(baseline)
  }

  get stopped(): string | undefined {
    return this.#stopped
  }

  isLive(session: SessionId): boolean {
    return this.#sessions.get(session)?.isLive === true
  }

  onRequest(run: RunContext, call: ModelCall, playback: Playback | undefined): void {
    const step = `${run.run} ${call.step}`
    // A retry, or the same step after a summary.
    if (this.#seen.has(step)) return
    this.#seen.add(step)
    const session = this.#sessionOf(run.session, playback)
    const index = session.requests++
    if (!session.isLive) this.#compare(run.session, session, index, call)
    if (!session.isLive) return
    if (this.modelCalls >= this.#limit)
      this.#stopped ??= `stopped after ${this.#limit} steps beyond the record`
    else this.modelCalls++
  }

  async execute(call: ReplayedCall): Promise<ToolResult> {
    const { args, ctx, playback, tool } = call
    if (!this.isLive(ctx.session)) return this.#executeRecorded(call)
    if (readsFiles(tool)) {
      this.#note(ctx.session, ctx.callId, 'files')
      return tool.execute(args, ctx)
    }
    const outcome = this.#calls.take(tool, args, playback?.recording.session)
    this.#note(ctx.session, ctx.callId, outcome ? 'record' : 'refused')
    return outcome ? resultOf(outcome) : refusal(tool.name)
  }

  /** The text of a file as it is in the changed agent, and otherwise the result of that time. */
  async #executeRecorded({ args, ctx, playback, recorded, tool }: ReplayedCall) {
    const outcome: ToolOutcome | undefined = playback?.outcome(ctx.callId)
    this.#calls.use(outcome)
    if (!playback || !readsFiles(tool)) return recorded()
    const before = this.#baseline.reads.get(callKey(playback.recording.session, ctx.callId))
    const result = await tool.execute(args, ctx)
    return readingOf(result) === before ? recorded() : result
  }

  #sessionOf(id: SessionId, playback: Playback | undefined): Session {
    const known = this.#sessions.get(id)
    if (known) return known
    const session = { playback, requests: 0, isLive: false }
    this.#sessions.set(id, session)
    return session
  }

  #compare(id: SessionId, session: Session, index: number, call: ModelCall): void {
    const { playback } = session
    const recorded = playback && this.#baseline.requests.get(playback.recording.session)
    const request = requestOf(call, this.#recordedIds)
    const difference = requestDifference(recorded?.[index], request)
    if (!difference) return
    session.isLive = true
    this.leavings.push({ session: id, playback, index, difference, request })
  }

  #note(session: SessionId, call: CallId, by: AnsweredBy): void {
    this.answered.set(callKey(session, call), by)
  }
}

const refusal = (name: string): ToolResult => ({
  status: 'error',
  code: NOT_REPLAYED,
  message: `This is a replay of an earlier conversation: ${name} was not called, since it was not called with these arguments then. Nothing outside was read or changed. Go on with what you have.`,
})
