import {
  addUsage, type CallId, type Counted, type JournalEntry, type JsonObject, type Message, type ModelReply, NO_OUTCOME, NO_USAGE,
  SUMMARY_HEAD, type ToolOutcome, type Usage, type UserMessage, type Withheld,
} from '@amodal/sdk'

type ToolMessage = Extract<Message, { role: 'tool' }>
type ToolPart = ToolMessage['content'][number]
type Output = Extract<ToolPart, { type: 'tool-result' }>['output']

/**
 * The message history as a projection of the journal, in the provider's own form.
 * Applying a prefix of the entries gives the history as it stood then.
 */
export class History {
  readonly messages: Message[] = []
  /** Characters kept, for the cap of what stays resident. */
  chars = 0
  usage: Usage = NO_USAGE
  /** What plugins keep for the session; forgotten when it is cleared. */
  sessionState: JsonObject = {}
  readonly withheld: Withheld[] = []
  /** What the provider last counted. */
  counted: Counted | undefined
  /** `context` of the newest message. */
  context: Readonly<Record<string, string>> = {}
  /** Every call there has been: strict endpoints refuse a history that uses an id twice. */
  readonly callIds = new Set<string>()
  /** It holds entries that were never committed: to be folded anew. */
  stale = false
  #seqs: number[] = []
  #open = new Map<CallId, string>()

  apply(entry: JournalEntry, seq: number): void {
    switch (entry.kind) {
      case 'user_message':
        this.close()
        this.sessionState = { ...this.sessionState, ...entry.session_state }
        this.context = entry.context ?? {}
        return this.#push(userMessage(entry), seq, entry.text.length)
      case 'model_reply':
        this.close()
        this.usage = addUsage(this.usage, entry.usage)
        for (const call of entry.calls) {
          this.#open.set(call.id, call.name)
          this.callIds.add(call.id)
        }
        if (entry.text !== '' || entry.calls.length > 0) this.#push(assistantMessage(entry), seq, entry.text.length)
        if (entry.usage.input > 0) this.counted = { tokens: entry.usage.input + entry.usage.output, messages: this.messages.length }
        return
      case 'tool_outcome':
        this.sessionState = { ...this.sessionState, ...entry.session_state }
        return this.#result(entry.call, entry.name, outputOf(entry), seq)
      case 'child_closed':
        this.usage = addUsage(this.usage, entry.usage)
        return this.#result(entry.call, 'dispatch_task', { type: entry.status === 'success' ? 'text' : 'error-text', value: entry.summary }, seq)
      case 'compacted':
        if (entry.cause === 'clear') this.sessionState = {}
        if (entry.usage) this.usage = addUsage(this.usage, entry.usage)
        this.counted = undefined
        return this.#compact(entry.upto, entry.summary)
      case 'run_ended':
        return this.close()
      case 'tool_intent': case 'input_asked': case 'input_answered': case 'child_opened': case 'note':
        return
    }
  }

  /** Gives every call without an outcome a synthetic one. Never called while a call waits for a person. */
  close(): void {
    for (const [call, name] of [...this.#open]) this.#result(call, name, { type: 'error-text', value: NO_OUTCOME }, this.#seqs.at(-1) ?? 0)
  }

  /** The entry that all but the newest `keep` messages end with. */
  uptoOf(keep: number): number {
    const first = keep <= 0 ? undefined : this.#seqs[this.messages.length - keep]
    return first === undefined ? this.#seqs.at(-1) ?? 0 : first - 1
  }

  #push(message: Message, seq: number, chars: number): void {
    this.messages.push(message)
    this.#seqs.push(seq)
    this.chars += chars + 64
  }

  #result(call: CallId, name: string, output: Output, seq: number): void {
    if (!this.#open.delete(call)) return // a second outcome of one call changes nothing
    const part: ToolPart = { type: 'tool-result', toolCallId: call, toolName: name, output }
    const last = this.messages.at(-1)
    const chars = 'value' in output ? JSON.stringify(output.value).length : 0
    if (last?.role === 'tool') {
      // A new message in place of the old one: what a model call was given is never changed under it.
      this.messages[this.messages.length - 1] = { role: 'tool', content: [...last.content, part] }
      this.chars += chars
    } else this.#push({ role: 'tool', content: [part] }, seq, chars)
  }

  #compact(upto: number, summary: string): void {
    const first = this.#seqs.findIndex((seq) => seq > upto)
    const dropped = first === -1 ? this.messages.length : first
    this.messages.splice(0, dropped)
    this.#seqs.splice(0, dropped)
    if (first === -1) this.#open.clear()
    if (summary !== '') {
      this.messages.unshift({ role: 'user', content: [{ type: 'text', text: `${SUMMARY_HEAD}${summary}` }] })
      this.#seqs.unshift(upto)
    }
    this.chars = JSON.stringify(this.messages).length
  }
}

function userMessage(entry: UserMessage): Message {
  const context = Object.entries(entry.context ?? {}).map(([key, value]) => `${key}: ${value}`).join('\n')
  return {
    role: 'user',
    content: [
      { type: 'text', text: context === '' ? entry.text : `${entry.text}\n\n<context>\n${context}\n</context>` },
      ...(entry.images ?? []).map((image) => ({ type: 'file' as const, mediaType: image.mediaType, data: { type: 'data' as const, data: image.data } })),
    ],
  }
}

function assistantMessage(entry: ModelReply): Message {
  return {
    role: 'assistant',
    content: [
      ...(entry.text === '' ? [] : [{ type: 'text' as const, text: entry.text }]),
      ...entry.calls.map((call) => ({ type: 'tool-call' as const, toolCallId: call.id, toolName: call.name, input: JSON.parse(call.input) as unknown })),
    ],
  }
}

function outputOf(entry: ToolOutcome): Output {
  if (entry.status !== 'success') return { type: 'error-text', value: textOf(entry) }
  if (entry.notice !== undefined) return { type: 'text', value: textOf(entry) }
  return typeof entry.output === 'string' ? { type: 'text', value: entry.output } : { type: 'json', value: entry.output }
}

function textOf({ output, notice }: ToolOutcome): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return notice === undefined ? text : `${text}\n\n${notice}`
}
