import {
  type AskId,
  callId,
  type CallId,
  type Counted,
  type InputAnswered,
  type JournalEntry,
  type JsonObject,
  type Message,
  NO_USAGE,
  OUTCOME_SETTLED,
  SUMMARY_HEAD,
  type ToolOutcome,
  type Usage,
  type UserMessage,
  withContext,
  type RedactedValue,
  type ChildClosed,
  type Compacted,
  type InputAsked,
  type ModelReply,
  type Note,
} from '@amodal/sdk'
import {
  addUsage,
  assetPart,
  GrantLedger,
  LASTING,
  NO_OUTCOME,
  type ApprovalGrant,
} from '@amodal/sdk/loop'
import { grantIn } from './budget-extension.ts'
import type { BudgetName } from './budget-name.ts'
import { droppedIn, HISTORY_DROPPED, markedOne } from '../model-calls/dropped-parts.ts'
import { memorySize } from './memory-size.ts'
import { withImages } from '../model-calls/result-images.ts'
import { assistantMessage } from '../model-calls/thoughts.ts'

type ToolMessage = Extract<Message, { role: 'tool' }>
type ToolPart = ToolMessage['content'][number]
type ResultPart = Extract<ToolPart, { type: 'tool-result' }>
type Output = ResultPart['output']

// Shared by idle sessions, for which empty tables would be most of their memory.
const NO_CALLS: ReadonlyMap<CallId, number> = new Map()
const NO_IDS: ReadonlySet<string> = new Set()

/** The measured size of a session without messages, with its place in the cache. */
const SESSION_BYTES = 1_500
/** The size of a call id, with its place in a table. */
const ID_BYTES = 100
/** The size of a grant, with what it covers. */
const GRANT_BYTES = 600
/** The size of a redacted value, with its place in a list. */
const REDACTED_BYTES = 300

const newRun = () => ({ tokens: 0, cost: 0, calls: NO_CALLS })

/**
 * The message history as a projection of the journal, in the provider's own form.
 * Applying a prefix of the entries gives the history as it stood then.
 */
export class History {
  /**
   * Replaced by another array whenever messages are removed or changed, so that followers of the
   * old array start over.
   */
  messages: Message[] = []
  usage: Usage = NO_USAGE
  /** Billionths of a dollar, as far as prices were known. */
  cost = 0
  /** Totals of the run that the newest message began; calls by their position in it. */
  run = newRun()
  /**
   * State that plugins store for the session; cleared with the session, except for keys that begin
   * with {@link LASTING}.
   */
  sessionState: JsonObject = {}
  readonly redacted: RedactedValue[] = []
  /** The token count that the provider reported last. */
  counted: Counted | undefined
  /** `context` of the newest message. */
  context: Readonly<Record<string, string>> = {}
  /** `trace` of the newest message. */
  trace: string | undefined
  /** The session state of the newest message. */
  messageState: JsonObject = {}
  /** Contains entries that were never committed, so it must be rebuilt. */
  stale = false
  /** The number of exchanges before the newest that are retained. */
  readonly depth: number
  #seqs: number[] = []
  #bytes = 0
  #stateBytes = 0
  #open: Map<CallId, string> | undefined
  #callIds: Set<string> | undefined
  #granted: Map<BudgetName, number> | undefined
  readonly #grants = new GrantLedger()
  /** Questions about budgets. */
  #budgetAsks: Map<AskId, JsonObject> | undefined
  /** Notices for the model that are added to the next message. */
  #notices: string[] | undefined
  /** Calls whose results are removed when their run ends. */
  #passing: Set<CallId> | undefined

  constructor(depth = Infinity) {
    this.depth = depth
  }

  /** All call ids of the session: strict endpoints refuse a history that repeats an id. */
  get callIds(): ReadonlySet<string> {
    return this.#callIds ?? NO_IDS
  }

  /** The approximate memory size, updated with each entry, for the limit of resident sessions. */
  get bytes(): number {
    return (
      SESSION_BYTES +
      this.#bytes +
      this.#stateBytes +
      ID_BYTES * (this.callIds.size + this.run.calls.size) +
      REDACTED_BYTES * this.redacted.length +
      GRANT_BYTES * this.grants.length
    )
  }

  /** Approvals for the rest of the conversation. */
  get grants(): readonly ApprovalGrant[] {
    return this.#grants.grants
  }

  /** The amount that people have added to a budget. */
  granted(name: BudgetName): number {
    return this.#granted?.get(name) ?? 0
  }

  apply(entry: JournalEntry, seq: number): void {
    this.#grants.apply(entry)
    switch (entry.kind) {
      case 'user_message':
        return this.#applyUserMessage(entry, seq)
      case 'model_reply':
        return this.#applyReply(entry, seq)
      case 'tool_outcome':
        return this.#applyOutcome(entry, seq)
      case 'child_closed':
        return this.#applyChildResult(entry, seq)
      case 'compacted':
        return this.#applyCompaction(entry)
      case 'run_ended':
        this.#seqs = this.#seqs.slice() // releases the spare capacity of the array
        return this.close()
      case 'note':
        return this.#applyNote(entry)
      case 'input_asked':
        return this.#applyAsk(entry)
      case 'input_answered':
        return this.#applyAnswer(entry)
      case 'tool_intent':
      case 'child_opened':
        return
    }
  }

  /**
   * Gives every call without an outcome a synthetic one. Never called while a call waits for a
   * person.
   */
  close(): void {
    for (const [call, name] of [...(this.#open ?? [])])
      this.#result(call, name, { type: 'error-text', value: NO_OUTCOME }, this.#seqs.at(-1) ?? 0)
  }

  /** The last entry before the newest `keep` messages. */
  uptoOf(keep: number): number {
    const first = keep <= 0 ? undefined : this.#seqs[this.messages.length - keep]
    return first === undefined ? (this.#seqs.at(-1) ?? 0) : first - 1
  }

  #spent({ usage, cost = 0 }: { readonly usage: Usage; readonly cost?: number }): void {
    this.usage = addUsage(this.usage, usage)
    this.cost += cost
    this.run = {
      ...this.run,
      tokens: this.run.tokens + usage.input + usage.output,
      cost: this.run.cost + cost,
    }
  }

  #applyUserMessage(entry: UserMessage, seq: number): void {
    this.close()
    this.context = entry.context ?? {}
    this.trace = entry.trace
    this.messageState = entry.session_state ?? {}
    this.#remember(entry.session_state)
    this.#beginRun()
    this.#push(userMessage(entry, this.#notices?.splice(0)), seq)
    this.#forgetOlder()
  }

  #applyReply(entry: ModelReply, seq: number): void {
    const { calls, usage } = entry
    this.close()
    this.#spent(entry)
    if (calls.length > 0) {
      const { size } = this.run.calls
      const sequenced = calls.map(({ id }, at) => [id, size + at + 1] as const)
      this.run.calls = new Map([...this.run.calls, ...sequenced])
    }
    for (const { id, name } of calls) {
      ;(this.#open ??= new Map()).set(id, name)
      ;(this.#callIds ??= new Set()).add(id)
    }
    if (entry.text.trim() !== '' || calls.length > 0) this.#push(assistantMessage(entry), seq)
    if (usage.input > 0)
      this.counted = { tokens: usage.input + usage.output, messages: this.messages.length }
  }

  #applyOutcome(entry: ToolOutcome, seq: number): void {
    this.#remember(entry.session_state)
    if (entry.ephemeral) (this.#passing ??= new Set()).add(entry.call)
    this.#result(entry.call, entry.name, outputOf(entry), seq)
  }

  #applyChildResult(entry: ChildClosed, seq: number): void {
    this.#spent(entry)
    const type = entry.status === 'success' ? 'text' : 'error-text'
    this.#result(entry.call, 'dispatch_task', { type, value: entry.summary }, seq)
  }

  #applyCompaction(entry: Compacted): void {
    if (entry.cause === 'clear') {
      this.sessionState = Object.fromEntries(
        Object.entries(this.sessionState).filter(([key]) => key.startsWith(LASTING)),
      )
      this.#stateBytes = memorySize(this.sessionState)
    }
    if (entry.usage) this.#spent({ usage: entry.usage })
    this.counted = undefined
    this.#compact(entry.upto, entry.summary)
  }

  #applyNote({ spent, code, text, data, session_state: state }: Note): void {
    this.#remember(state)
    if (spent) this.#spent(spent)
    if (code === HISTORY_DROPPED)
      this.#replaceEach((message) => markedOne(message, droppedIn(data)))
    if (code === OUTCOME_SETTLED) (this.#notices ??= []).push(text)
  }

  #applyAsk({ ask, ask_type: type, context }: InputAsked): void {
    if (type === 'continue_or_finish') (this.#budgetAsks ??= new Map()).set(ask, context)
  }

  #applyAnswer({ ask, answer, void: voidReason }: InputAnswered): void {
    const grant =
      voidReason === undefined ? grantIn(this.#budgetAsks?.get(ask) ?? {}, answer) : undefined
    this.#budgetAsks?.delete(ask)
    if (grant) (this.#granted ??= new Map()).set(grant[0], this.granted(grant[0]) + grant[1])
  }

  /** Resets the budgets of the previous run, and removes its ephemeral results. */
  #beginRun(): void {
    this.run = newRun()
    for (const name of ['run_tokens', 'run_cost', 'tool_calls'] as const)
      this.#granted?.delete(name)
    if (!this.#passing) return
    this.#replaceEach((message) =>
      message.role === 'tool' ? this.#withoutPassing(message) : message,
    )
    this.counted = undefined
    this.#passing = undefined
  }

  /** Replaces the array, since a model call may still use the previous one. */
  #replaceEach(replace: (message: Message) => Message): void {
    this.messages = this.messages.map((message) => {
      const replaced = replace(message)
      if (replaced !== message) this.#bytes += memorySize(replaced) - memorySize(message)
      return replaced
    })
  }

  #withoutPassing(message: ToolMessage): ToolMessage {
    const isPassing = (part: ToolPart): part is ResultPart =>
      part.type === 'tool-result' && this.#passing?.has(callId(part.toolCallId)) === true
    if (!message.content.some(isPassing)) return message
    return {
      ...message,
      content: message.content.map((part) =>
        isPassing(part)
          ? {
              ...part,
              output: {
                type: 'text',
                value: `[This result was for the turn it came in: call ${part.toolName} again if you need it]`,
              },
            }
          : part,
      ),
    }
  }

  /** Removes messages up to one of a person, so that calls stay together with their results. */
  #forgetOlder(): void {
    const begins =
      this.depth === Infinity
        ? []
        : this.messages.flatMap(({ role }, at) => (role === 'user' ? [at] : []))
    const first = begins.at(-1 - this.depth) ?? 0
    if (first === 0) return
    this.#dropOldest(first)
    this.counted = undefined
  }

  #push(message: Message, seq: number): void {
    this.messages.push(message)
    this.#seqs.push(seq)
    this.#bytes += memorySize(message)
  }

  #dropOldest(count: number): void {
    for (const message of this.messages.splice(0, count)) this.#bytes -= memorySize(message)
    this.#seqs.splice(0, count)
  }

  #remember(state: JsonObject | undefined): void {
    if (!state) return
    this.sessionState = { ...this.sessionState, ...state }
    this.#stateBytes = memorySize(this.sessionState)
  }

  #result(call: CallId, name: string, output: Output, seq: number): void {
    if (this.#open?.delete(call) !== true) return // a second outcome of a call is ignored
    const part: ToolPart = { type: 'tool-result', toolCallId: call, toolName: name, output }
    const last = this.messages.at(-1)
    if (last?.role === 'tool') {
      // Replaces the message, since a model call may still use the previous one. Results are sorted
      // by their calls, for endpoints that match them by position.
      this.messages[this.messages.length - 1] = {
        role: 'tool',
        content: [...last.content, part].sort((a, b) => this.#placeOf(a) - this.#placeOf(b)),
      }
      this.#bytes += memorySize([part]) - memorySize([])
    } else this.#push({ role: 'tool', content: [part] }, seq)
  }

  #placeOf(part: ToolPart): number {
    return part.type === 'tool-result' ? (this.run.calls.get(callId(part.toolCallId)) ?? 0) : 0
  }

  #compact(upto: number, summary: string): void {
    const first = this.#seqs.findIndex((seq) => seq > upto)
    const dropped = first === -1 ? this.messages.length : first
    this.#dropOldest(dropped)
    if (first === -1) this.#open = undefined
    if (summary === '') return
    const message: Message = {
      role: 'user',
      content: [{ type: 'text', text: `${SUMMARY_HEAD}${summary}` }],
    }
    this.messages.unshift(message)
    this.#seqs.unshift(upto)
    this.#bytes += memorySize(message)
  }
}

/** A message may have files alone: providers refuse an empty text. */
function userMessage(entry: UserMessage, notices: readonly string[] = []): Message {
  const text = withContext(entry.text, entry.context)
  const files = (entry.assets ?? []).map(assetPart)
  return {
    role: 'user',
    content: [
      ...notices.map((notice) => ({
        type: 'text' as const,
        text: `[Of an earlier call whose outcome was unknown: ${notice}]`,
      })),
      ...(text.trim() === '' && files.length > 0 ? [] : [{ type: 'text' as const, text }]),
      ...files,
    ],
  }
}

function outputOf(entry: ToolOutcome): Output {
  if (entry.status !== 'success') return { type: 'error-text', value: textOf(entry) }
  const seen = entry.content && withImages(textOf(entry), entry.content)
  if (seen) return seen
  if (entry.notice !== undefined) return { type: 'text', value: textOf(entry) }
  return typeof entry.output === 'string'
    ? { type: 'text', value: entry.output }
    : // numbers of many digits serialize themselves
      { type: 'json', value: entry.output as Extract<Output, { type: 'json' }>['value'] }
}

function textOf({ output, notice }: ToolOutcome): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return notice === undefined ? text : `${text}\n\n${notice}`
}
