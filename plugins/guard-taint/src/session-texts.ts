import { answersIn, type AskedChoices, choicesOf, isObject, type Message, SUMMARY_HEAD, unfence } from '@amodal/sdk'
import { Corpus } from './corpus.ts'
import { resultText, userText } from './texts.ts'

/** Tools that give back the agent's own files or a fixed sentence. */
const OWN: ReadonlySet<string> = new Set(['load_knowledge', 'activate_skill', 'read_skill_file', 'describe_connection', 'present', 'enter_plan_mode', 'propose_plan', 'propose_knowledge', 'stop_execution', 'remember', 'forget'])

/** Gives back what a person answered. */
const ASK = 'ask_user'

/**
 * What a conversation holds, by whose it is: read as it grows, and again from the beginning once its beginning is another
 * one. What the model says itself is nobody's.
 */
export class SessionTexts {
  /** What people wrote. */
  person: Corpus
  /** What came from outside. */
  outside: Corpus
  readonly #maxChars: number
  readonly #delegated: boolean
  #read: Message[] = []
  /** Parts of the message at the end, which grows while calls are answered. */
  #parts = 0
  /** Where calls went, by their ids. */
  readonly #connections = new Map<string, string>()
  /** What people could choose from, where they were asked. */
  readonly #choices = new Map<string, readonly AskedChoices[]>()

  /** @param delegated who wrote to a sub-agent is the model that called it */
  constructor(maxChars: number, delegated: boolean) {
    this.#maxChars = maxChars
    this.#delegated = delegated
    this.person = new Corpus(maxChars)
    this.outside = new Corpus(maxChars)
  }

  follow(messages: readonly Message[]): void {
    const last = this.#read.length - 1
    // The newest tool message is another object whenever it has one part more.
    const isSame = last < messages.length && this.#read.every((message, at) => messages[at] === message || (at === last && grew(message, messages[at])))
    if (!isSame) this.#begin()
    for (let at = Math.max(0, this.#read.length - 1); at < messages.length; at++) {
      const message = messages[at]
      if (!message) continue
      const from = at === this.#read.length - 1 ? this.#parts : 0
      this.#take(message, from)
      this.#read[at] = message
      this.#parts = message.content.length
    }
  }

  #begin(): void {
    this.person = new Corpus(this.#maxChars)
    this.outside = new Corpus(this.#maxChars)
    this.#read = []
    this.#parts = 0
    this.#connections.clear()
    this.#choices.clear()
  }

  /** @param from parts of it that are known already */
  #take(message: Message, from: number): void {
    switch (message.role) {
      case 'user': return from > 0 ? undefined : this.#person(userText(message))
      case 'tool': return message.content.slice(from).forEach((part) => {
        if (part.type !== 'tool-result' || OWN.has(part.toolName)) return
        if (part.toolName === ASK && part.output.type !== 'error-text') return this.#answer(part.toolCallId, resultText(part))
        const connection = this.#connections.get(part.toolCallId) ?? part.toolName
        this.outside.add({ tool: part.toolName, call: part.toolCallId, connection, text: resultText(part) }, { encoded: true })
      })
      case 'assistant': return message.content.slice(from).forEach((part) => {
        if (part.type !== 'tool-call') return
        this.#connections.set(part.toolCallId, connectionOf(part.toolName, part.input))
        if (part.toolName === ASK) this.#choices.set(part.toolCallId, choicesOf(part.input))
      })
      case 'system': return
    }
  }

  #person(text: string): void {
    if (text.startsWith(SUMMARY_HEAD)) return this.#outsider('summary', text, '')
    const { outside, inside } = unfence(text)
    for (const one of inside) this.#outsider('event', one.text, one.source)
    if (this.#delegated) this.#outsider('dispatch_task', outside, '')
    else this.person.add({ tool: 'user', call: '', connection: '', text: outside })
  }

  #answer(call: string, outcome: string): void {
    for (const { text, isTheirs } of answersIn(outcome, this.#choices.get(call) ?? [undefined])) {
      if (isTheirs) this.person.add({ tool: 'user', call, connection: '', text })
      else this.outside.add({ tool: ASK, call, connection: ASK, text }, { encoded: true })
    }
  }

  #outsider(tool: string, text: string, connection: string): void {
    this.outside.add({ tool, call: '', connection, text }, { encoded: true })
  }
}

/** Whether a tool message is the other one with more parts. */
function grew(before: Message, after: Message | undefined): boolean {
  return before.role === 'tool' && after?.role === 'tool' && before.content.every((part, at) => after.content[at] === part)
}

function connectionOf(tool: string, input: unknown): string {
  const named = isObject(input as never) ? (input as { readonly connection?: unknown }).connection : undefined
  if (typeof named === 'string') return named
  if (tool === 'fetch_url' || tool === 'web_search') return 'web'
  return tool.includes('__') ? tool.slice(0, tool.indexOf('__')) : tool
}
