import {
  NANO,
  redact,
  trySync,
  type Json,
  type JsonObject,
  type ModelReply,
  type QueuedMessage,
  type RunEnded,
  type SequencedEntry,
  type ToolOutcome,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { eventsOf } from '@amodal/sdk/loop'
import { wireRunUsage, assetUrl } from '@amodal/sdk/wire'
import { picturesOf, replyId } from './shown.ts'

interface Message {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly parts: JsonObject[]
  metadata: JsonObject
}

/**
 * A session as messages of the AI SDK: what `useChat` begins with where a page is loaded again. A
 * turn is one message of the person and one reply, with the ids that its stream has. Reasoning is
 * not kept; what was cleared is not shown.
 */
export function uiMessages(
  session: string,
  entries: readonly SequencedEntry[],
  queued: readonly QueuedMessage[] = [],
): readonly JsonObject[] {
  const cleared =
    entries.findLast((entry) => entry.kind === 'compacted' && entry.cause === 'clear')?.seq ?? 0
  const history = new History(session)
  for (const entry of entries) if (entry.seq > cleared) history.add(entry)
  for (const message of queued) history.said(message)
  return history.messages
    .filter(({ parts, metadata }) => parts.length > 0 || 'error' in metadata)
    .map((message) => ({ ...message }))
}

class History {
  readonly messages: Message[] = []
  readonly #session: string
  readonly #calls = new Map<string, { readonly parts: JsonObject[]; at: number }>()
  #reply: Message | undefined

  constructor(session: string) {
    this.#session = session
  }

  add(entry: SequencedEntry): void {
    switch (entry.kind) {
      case 'user_message':
        return this.said(entry)
      case 'model_reply':
        return this.#replied(entry)
      case 'tool_outcome':
        this.#settled(entry)
        return this.#showed(entry)
      case 'child_closed': {
        const { call, status, summary: output } = entry
        return this.#settled({ call, status, output })
      }
      case 'input_asked': {
        if (entry.ask_type !== 'approval' || !entry.call) return
        const approval = { id: entry.ask, descriptor: redact(entry.context) }
        return this.#change(entry.call, { state: 'approval-requested', approval })
      }
      case 'input_answered': {
        if (entry.ask_type !== 'approval' || !entry.call) return
        const approved = entry.answer['approved'] === true && entry.void === undefined
        const { feedback } = entry.answer
        const reason = typeof feedback === 'string' ? { reason: feedback } : {}
        const approval = { id: entry.ask, approved, ...reason }
        return this.#change(entry.call, { state: 'approval-responded', approval })
      }
      case 'run_ended':
        return this.#ended(entry)
      case 'note':
        if (entry.code === 'warning')
          this.#reply?.parts.push({ type: 'data-warning', data: { message: entry.text } })
        return
      case 'tool_intent':
      case 'compacted':
      case 'child_opened':
        return
    }
  }

  /** A message of the person, and an empty reply to it. */
  said({ key, text: words, assets = [] }: QueuedMessage): void {
    const files = assets.map((file) => ({
      type: 'file',
      mediaType: file.mediaType,
      url: assetUrl(file),
      ...(file.name !== undefined && { filename: file.name }),
    }))
    const metadata = { session_id: this.#session }
    const parts = [...files, ...(words === '' ? [] : [text(words)])]
    this.messages.push({ id: key, role: 'user', parts, metadata })
    this.#reply = { id: replyId(key), role: 'assistant', parts: [], metadata }
    this.messages.push(this.#reply)
  }

  #replied(reply: ModelReply): void {
    const { parts = [] } = this.#reply ?? {}
    parts.push({ type: 'step-start' })
    if (reply.text !== '') parts.push(text(reply.text))
    for (const { id, name, input } of reply.calls) {
      this.#calls.set(id, { parts, at: parts.length })
      parts.push({
        type: `tool-${name}`,
        toolCallId: id,
        state: 'input-available',
        input: parametersOf(input),
        providerExecuted: true,
      })
    }
  }

  #settled(outcome: Pick<ToolOutcome, 'call' | 'status' | 'output'>): void {
    const { call, status, output } = outcome
    const found = this.#calls.get(call)
    if (!found) return
    if (status === 'success') this.#change(call, { state: 'output-available', output })
    else if (isDenied(found.parts[found.at])) this.#change(call, { state: 'output-denied' })
    else
      this.#change(call, {
        state: 'output-error',
        errorText: typeof output === 'string' ? output : JSON.stringify(output),
      })
  }

  /** Pictures and widgets of a result. */
  #showed(outcome: ToolOutcome): void {
    const { parts = [] } = this.#calls.get(outcome.call) ?? {}
    parts.push(...picturesOf(outcome.content).map((picture) => ({ type: 'file', ...picture })))
    for (const event of eventsOf(outcome))
      if (event.type === 'widget')
        parts.push({
          type: 'data-widget',
          data: { widget_type: event.widget_type, data: event.data },
        })
  }

  #ended(entry: RunEnded): void {
    if (!this.#reply) return
    const { reason, cost, error } = entry
    this.#reply.metadata = {
      ...this.#reply.metadata,
      reason,
      usage: { ...wireRunUsage(entry) },
      ...(cost !== undefined && { cost: cost / NANO }),
      ...(error && { error: { ...error } }),
    }
  }

  #change(call: string, change: JsonObject): void {
    const found = this.#calls.get(call)
    if (found) found.parts[found.at] = { ...found.parts[found.at], ...change }
  }
}

const text = (said: string): JsonObject => ({ type: 'text', text: said, state: 'done' })

const isDenied = (part: JsonObject | undefined): boolean =>
  part?.['state'] === 'approval-responded' &&
  JSON.stringify(part['approval']).includes('"approved":false')

function parametersOf(input: string): Json {
  const parsed = trySync(
    () => parseExact(input) as Json, // JSON text
    () => undefined,
  )
  return parsed.ok ? redact(parsed.value) : {}
}
