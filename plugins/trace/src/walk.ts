import {
  isObject,
  NO_USAGE,
  OUTCOME_SETTLED,
  type AskId,
  type CallId,
  type ChildClosed,
  type InputAnswered,
  type InputAsked,
  type ModelReply,
  type Note,
  type RunId,
  type SequencedEntry,
  type Spent,
  type ToolOutcome,
  type Usage,
} from '@amodal/sdk'
import { addUsage, eventsOf, spentIn } from '@amodal/sdk/loop'
import { verdictOf } from './verdict.ts'
import type { AskThing, CallThing, Thing, TracedRun } from './thing.ts'

/** How the loop names a model call beside the conversation. */
const ASIDE = 'a call beside the conversation'

export interface Trace {
  /** In the order of their `seq`. */
  readonly things: readonly Thing[]
  readonly runs: readonly TracedRun[]
}

/**
 * Makes one thing of all entries about it: a call's intent and outcome, a question and its answer.
 *
 * @param entries of a session from its first one on
 */
export function traceOf(entries: readonly SequencedEntry[]): Trace {
  const walk = new Walk()
  for (const entry of entries) walk.add(entry)
  return walk.trace()
}

class Walk {
  readonly #things: Thing[] = []
  readonly #runs = new Map<RunId, TracedRun>()
  /** The newest call with each id: providers repeat ids in later replies. */
  readonly #calls = new Map<CallId, CallThing>()
  readonly #asks = new Map<AskId, AskThing>()
  /** Failed attempts of the model call in progress. */
  #attempts: SequencedEntry<Note>[] = []

  trace(): Trace {
    // Attempts without a reply are known to be alone only when their run ends.
    const things = this.#things.toSorted((a, b) => a.seq - b.seq)
    return { things, runs: [...this.#runs.values()] }
  }

  add(entry: SequencedEntry): void {
    const run = this.#runOf(entry)
    const place = { id: String(entry.seq), seq: entry.seq, run }
    switch (entry.kind) {
      case 'user_message':
        this.#things.push({ ...place, kind: 'message', entry })
        break
      case 'model_reply':
        this.#reply(entry, run)
        break
      case 'tool_intent': {
        const call = this.#calls.get(entry.call)
        if (call) call.intent = entry
        break
      }
      case 'tool_outcome':
        this.#outcome(entry, run)
        break
      case 'input_asked':
        this.#question(entry, run)
        break
      case 'input_answered':
        this.#answer(entry)
        break
      case 'child_opened': {
        const call = this.#calls.get(entry.call)
        if (call) call.opened ??= entry
        break
      }
      case 'child_closed':
        this.#closed(entry, run)
        break
      case 'compacted':
        this.#things.push({ ...place, kind: 'compaction', entry })
        break
      case 'run_ended':
        this.#endAttempts(run)
        run.end = entry
        this.#things.push({ ...place, kind: 'end', entry })
        break
      case 'note':
        this.#note(entry, run)
        break
    }
  }

  #runOf(entry: SequencedEntry): TracedRun {
    const run = this.#runs.get(entry.run) ?? {
      id: entry.run,
      number: this.#runs.size + 1,
      startedAt: entry.at,
      lastAt: entry.at,
      usage: NO_USAGE,
      cost: undefined,
      modelCalls: 0,
      toolCalls: 0,
      end: undefined,
    }
    this.#runs.set(entry.run, run)
    run.lastAt = Math.max(run.lastAt, entry.at)
    const spent = spentIn(entry)
    if (spent) {
      run.modelCalls++
      spend(run, spent)
    }
    return run
  }

  #reply(entry: SequencedEntry<ModelReply>, run: TracedRun): void {
    const attempts = this.#attempts
    this.#attempts = []
    this.#things.push({
      id: String(entry.seq),
      seq: entry.seq,
      run,
      kind: 'reply',
      entry,
      attempts,
    })
    for (const [index, call] of entry.calls.entries()) {
      const thing: CallThing = {
        id: `${entry.seq}.${index + 1}`,
        seq: entry.seq,
        run,
        kind: 'call',
        entry,
        index,
        questions: [],
      }
      run.toolCalls++
      this.#calls.set(call.id, thing)
      this.#things.push(thing)
    }
  }

  #outcome(entry: SequencedEntry<ToolOutcome>, run: TracedRun): void {
    const call = this.#calls.get(entry.call)
    if (call) call.outcome = entry
    const place = { seq: entry.seq, run, kind: 'guard' as const, entry, of: call?.id }
    const verdict = verdictOf(entry, call)
    if (verdict) this.#things.push({ ...place, id: String(entry.seq), verdict })
    if (entry.private) return
    const scrubbed = eventsOf(entry).flatMap((event) =>
      event.type === 'field_scrub' && 'stripped_count' in event ? [event.stripped_count] : [],
    )
    for (const [index, fields] of scrubbed.entries())
      this.#things.push({
        ...place,
        id: `${entry.seq}.${index + 1}`,
        verdict: 'redacted',
        fields,
      })
  }

  #question(entry: SequencedEntry<InputAsked>, run: TracedRun): void {
    const call = entry.call === undefined ? undefined : this.#calls.get(entry.call)
    const thing: AskThing = {
      id: String(entry.seq),
      seq: entry.seq,
      run,
      kind: 'ask',
      entry,
      of: call?.id,
    }
    this.#asks.set(entry.ask, thing)
    call?.questions.push(thing)
    this.#things.push(thing)
  }

  #answer(entry: SequencedEntry<InputAnswered>): void {
    const thing = this.#asks.get(entry.ask)
    if (thing) thing.answer = entry
  }

  #closed(entry: SequencedEntry<ChildClosed>, run: TracedRun): void {
    const call = this.#calls.get(entry.call)
    if (call) call.closed = entry
    spend(run, entry)
  }

  #note(entry: SequencedEntry<Note>, run: TracedRun): void {
    const place = { id: String(entry.seq), seq: entry.seq, run }
    if (entry.spent && entry.text === ASIDE)
      this.#things.push({ ...place, kind: 'spent', entry, isAside: true })
    else if (entry.spent) this.#attempts.push(entry)
    else this.#things.push({ ...place, kind: 'note', entry })
    if (entry.code !== OUTCOME_SETTLED || !isObject(entry.data)) return
    const { call: id } = entry.data
    const call = typeof id === 'string' ? this.#calls.get(id as CallId) : undefined // a call's id
    if (call) call.settled = entry
  }

  /** The call in progress has no reply. */
  #endAttempts(run: TracedRun): void {
    for (const entry of this.#attempts) {
      const { seq } = entry
      this.#things.push({ id: String(seq), seq, run, kind: 'spent', entry, isAside: false })
    }
    this.#attempts = []
  }
}

function spend(run: TracedRun, { usage, cost }: { usage: Usage; cost?: Spent['cost'] }): void {
  run.usage = addUsage(run.usage, usage)
  if (cost !== undefined) run.cost = (run.cost ?? 0) + cost
}
