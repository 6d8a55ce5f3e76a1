import {
  isList,
  isObject,
  NO_USAGE,
  redact,
  truncateLine,
  type CallId,
  type InputAsked,
  type Json,
  type JsonObject,
  type ModelReply,
  type PendingAsk,
  type RunEnded,
  type SequencedEntry,
  type ToolOutcome,
  type Usage,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { addUsage } from '@amodal/sdk/loop'
import type { PauseType, RunEvent, RunEventDraft, TokensUsed } from './run-events.ts'
import { SUBMIT_RESULT } from './submit-result.ts'

/** Characters of an input, a result or a thought in an event. */
const SUMMARY_CHARS = 300

/** Key of the message that begins an attempt of a run. */
export const attemptKey = (attempt: number): string => `agent-run:${attempt}`

/** What a profile with a result schema has handed in. */
export interface RunResult {
  readonly value: Json
  readonly summary: string | undefined
}

/** How an attempt ended. */
export type AttemptEnd = Pick<RunEnded, 'reason' | 'error'>

/** What the journal of a session says of its run, entry by entry. */
export class RunProgress {
  /** The last entry that is counted. */
  head = 0
  turns = 0
  usage: Usage = NO_USAGE
  /** Text of the last reply. */
  text = ''
  result: RunResult | undefined
  readonly tools = new Map<string, number>()
  readonly #keys = new Map<string, string>()
  readonly #ends = new Map<string, AttemptEnd>()
  /** The end of a message that could not be written. */
  #unwritten: AttemptEnd | undefined
  readonly #names = new Map<CallId, string>()
  /** Calls of the last reply without an outcome. */
  readonly #open = new Set<CallId>()
  #turnUsage: TokensUsed = tokensOf(NO_USAGE)

  /** How an attempt ended; `undefined` while it has not. */
  endOf(attempt: number): AttemptEnd | undefined {
    const end = this.#ends.get(attemptKey(attempt))
    return end ?? (this.hasBegun(attempt) ? undefined : this.#unwritten)
  }

  /** Whether the message of an attempt is in the journal. */
  hasBegun(attempt: number): boolean {
    return [...this.#keys.values()].includes(attemptKey(attempt))
  }

  /** Counts an end that was heard of, whose entry was not read. @param key of its message */
  heard(key: string, end: AttemptEnd): void {
    this.#ends.set(key, end)
  }

  /** Counts an entry. @returns what it tells */
  add(entry: SequencedEntry): readonly RunEvent[] {
    this.head = entry.seq
    const timestamp = new Date(entry.at).toISOString()
    return this.#told(entry).map((event, n) => ({ ...event, seq: entry.seq, n, timestamp }))
  }

  addAll(entries: readonly SequencedEntry[]): readonly RunEvent[] {
    return entries.flatMap((entry) => this.add(entry))
  }

  #told(entry: SequencedEntry): readonly RunEventDraft[] {
    switch (entry.kind) {
      case 'user_message':
        this.#keys.set(entry.run, entry.key)
        return []
      case 'model_reply':
        return this.#reply(entry)
      case 'tool_outcome':
        return this.#outcome(entry)
      case 'child_closed':
        return this.#settled(entry.call, entry.status, entry.summary, entry.ms ?? 0)
      case 'input_asked':
        return [pausedEvent(entry)]
      case 'run_ended':
        return this.#ended(entry)
      case 'tool_intent':
      case 'input_answered':
      case 'compacted':
      case 'child_opened':
      case 'note':
        return []
      default:
        return entry satisfies never
    }
  }

  #reply(entry: ModelReply): readonly RunEventDraft[] {
    this.turns++
    this.usage = addUsage(this.usage, entry.usage)
    this.text = entry.text
    this.#turnUsage = tokensOf(entry.usage)
    this.#open.clear()
    const thought = (entry.reasoning ?? '') === '' ? entry.text : (entry.reasoning ?? '')
    const starts = entry.calls.map(({ id, name, input }): RunEventDraft => {
      this.#names.set(id, name)
      this.#open.add(id)
      this.tools.set(name, (this.tools.get(name) ?? 0) + 1)
      const args = parseExact(input) as Json // checked to be JSON when it was read
      return { type: 'tool_start', toolId: name, callId: id, inputSummary: short(redact(args)) }
    })
    return [
      ...(thought === ''
        ? []
        : [{ type: 'thinking' as const, text: truncateLine(thought, SUMMARY_CHARS) }]),
      ...starts,
      ...(starts.length === 0 ? [this.#turnEnd()] : []),
    ]
  }

  #outcome(entry: ToolOutcome): readonly RunEventDraft[] {
    if (entry.name === SUBMIT_RESULT && entry.status === 'success' && isObject(entry.output)) {
      const { result = null, summary } = entry.output
      this.result = { value: result, summary: typeof summary === 'string' ? summary : undefined }
    }
    return this.#settled(entry.call, entry.status, entry.output, entry.ms, entry.name)
  }

  #settled(
    call: CallId,
    status: ToolOutcome['status'],
    output: Json,
    durationMs: number,
    name = this.#names.get(call) ?? 'dispatch_task',
  ): readonly RunEventDraft[] {
    const wasOpen = this.#open.delete(call)
    const place = { toolId: name, callId: call, durationMs }
    const event: RunEventDraft =
      status === 'success'
        ? { type: 'tool_complete', ...place, resultSummary: short(output) }
        : { type: 'tool_error', ...place, error: short(output) }
    return wasOpen && this.#open.size === 0 ? [event, this.#turnEnd()] : [event]
  }

  #ended(entry: RunEnded): readonly RunEventDraft[] {
    const key = this.#keys.get(entry.run)
    if (key === undefined) this.#unwritten = entry
    else this.#ends.set(key, entry)
    return [
      entry.error && entry.reason !== 'user_abort'
        ? { type: 'error', code: entry.error.code, message: entry.error.message }
        : { type: 'completed', reason: entry.reason },
    ]
  }

  #turnEnd(): RunEventDraft {
    return { type: 'turn_complete', turn: this.turns, tokensUsed: this.#turnUsage }
  }
}

export const tokensOf = ({ input, output, cacheRead, cacheWrite }: Usage): TokensUsed => ({
  input,
  output,
  cacheRead,
  cacheCreate: cacheWrite,
})

const short = (value: Json): string =>
  truncateLine(typeof value === 'string' ? value : JSON.stringify(value), SUMMARY_CHARS)

/** A question with one free answer, or a form with fields of its own. */
export const pauseTypeOf = ({ type, schema }: Pick<PendingAsk, 'type' | 'schema'>): PauseType => {
  if (type !== 'question') return type
  const properties = isObject(schema['properties']) ? Object.keys(schema['properties']) : []
  return properties.length === 1 && properties[0] === 'response' ? 'question' : 'form'
}

const pausedEvent = (entry: InputAsked): RunEventDraft => ({
  type: 'paused',
  ask_id: entry.ask,
  pending_input_type: pauseTypeOf({ type: entry.ask_type, schema: entry.schema }),
  pending_input_schema: entry.schema,
  pending_input_context: shownContext(entry.context, entry.call, entry.name),
})

/** The context of a question as its answerer sees it, with the call that it is about. */
export const shownContext = (
  context: JsonObject,
  call: string | undefined,
  name?: string,
): JsonObject => {
  const shown = redact(context)
  return {
    ...(isObject(shown) && !isList(shown) ? shown : {}),
    ...(name !== undefined && { tool_id: name }),
    ...(call !== undefined && { tool_use_id: call }),
  }
}
