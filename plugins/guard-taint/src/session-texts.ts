import {
  answersIn,
  type AskedChoices,
  choicesOf,
  isObject,
  type Json,
  type Message,
  splitContext,
  SUMMARY_HEAD,
  unfence,
} from '@amodal/sdk'
import { Requests } from './asked/requests.ts'
import { setApart } from './asked/word.ts'
import { Corpus } from './corpus.ts'
import { resultText, userText } from './texts.ts'

/** Tools that give back the agent's own files or a fixed sentence. */
export const OWN: ReadonlySet<string> = new Set([
  'load_knowledge',
  'activate_skill',
  'read_skill_file',
  'describe_connection',
  'present',
  'enter_plan_mode',
  'propose_plan',
  'propose_knowledge',
  'stop_execution',
  'remember',
  'forget',
])

/** What comes with a person's message, and is theirs only where the configuration says so. */
export const TRUSTED = ['images', 'files', 'context'] as const
export type Trusted = (typeof TRUSTED)[number]

/** Gives back what a person answered. */
export const ASK = 'ask_user'

/**
 * What a conversation holds, by whose it is: read as it grows, and again from the beginning once
 * its beginning is another one. What the model says itself is nobody's.
 */
export class SessionTexts {
  /** What people wrote. */
  person: Corpus
  /** What came from outside. */
  outside: Corpus
  /** What people asked for. */
  requests = new Requests()
  readonly #maxChars: number
  readonly #delegated: boolean
  readonly #trusted: ReadonlySet<Trusted>
  #identity: ReadonlySet<string> = new Set()
  #read: Message[] = []
  /** Parts of the message at the end, which grows while calls are answered. */
  #parts = 0
  /** Calls, by their ids: their arguments, and where they went. */
  readonly #calls = new Map<string, { readonly input: Json; readonly connection: string }>()
  /** What people could choose from, where they were asked. */
  readonly #choices = new Map<string, readonly AskedChoices[]>()

  /** @param delegated who wrote to a sub-agent is the model that called it */
  constructor(maxChars: number, delegated: boolean, trusted: ReadonlySet<Trusted>) {
    this.#maxChars = maxChars
    this.#delegated = delegated
    this.#trusted = trusted
    this.person = new Corpus(maxChars)
    this.outside = new Corpus(maxChars)
  }

  /**
   * @param identity names of what a front end says of who asks, where the agent's files go by it
   */
  follow(messages: readonly Message[], identity: ReadonlySet<string>): void {
    this.#identity = identity
    const last = this.#read.length - 1
    // The newest tool message is another object whenever it has one part more.
    const isSame =
      last < messages.length &&
      this.#read.every(
        (message, at) => messages[at] === message || (at === last && grew(message, messages[at])),
      )
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
    this.requests = new Requests()
    this.#read = []
    this.#parts = 0
    this.#calls.clear()
    this.#choices.clear()
  }

  /** @param from parts of it that are known already */
  #take(message: Message, from: number): void {
    switch (message.role) {
      case 'user':
        return from > 0 ? undefined : this.#person(message)
      case 'tool':
        return message.content.slice(from).forEach((part) => {
          if (part.type !== 'tool-result') return
          const made = this.#calls.get(part.toolCallId)
          if (made && part.output.type !== 'error-text' && part.output.type !== 'execution-denied')
            this.requests.did(part.toolName, made.input)
          if (OWN.has(part.toolName)) return
          if (part.toolName === ASK && part.output.type !== 'error-text')
            return this.#answer(part.toolCallId, resultText(part))
          const connection = made?.connection ?? part.toolName
          this.outside.add(
            { tool: part.toolName, call: part.toolCallId, connection, text: resultText(part) },
            { encoded: true },
          )
        })
      case 'assistant':
        return message.content.slice(from).forEach((part) => {
          if (part.type !== 'tool-call') return
          this.#calls.set(part.toolCallId, {
            input: part.input as Json,
            connection: connectionOf(part.toolName, part.input),
          }) // the provider's type of JSON is looser
          if (part.toolName === ASK) this.#choices.set(part.toolCallId, choicesOf(part.input))
        })
      case 'system':
        return
    }
  }

  #person(message: Extract<Message, { role: 'user' }>): void {
    const { text, context: sent } = splitContext(userText(message))
    const context = sent
      .split('\n')
      .filter((line) => !this.#isIdentity(line))
      .join('\n')
    if (text.startsWith(SUMMARY_HEAD)) return this.#outsider('summary', text, '')
    if (context !== '' && !this.#trusted.has('context')) this.#outsider('context', context, '')
    // What an image or a file says is read by the model alone.
    for (const part of message.content) {
      const kind =
        typeof part === 'string' || part.type === 'text'
          ? undefined
          : isImage(part)
            ? 'image'
            : 'file'
      if (kind && !this.#trusted.has(`${kind}s`)) this.#outsider(kind, `[${kind}]`, '')
    }
    const { outside, inside } = unfence(text)
    for (const one of inside) this.#outsider('event', one.text, one.source)
    const said = context !== '' && this.#trusted.has('context') ? `${outside}\n${context}` : outside
    if (this.#delegated) return this.#outsider('dispatch_task', said, '')
    this.person.add({ tool: 'user', call: '', connection: '', text: `${said}${aside(said)}` })
    this.requests.told(outside, true)
  }

  /** Who asks, as an id or a name: no room for anything else. */
  #isIdentity(line: string): boolean {
    const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? []
    return this.#identity.has(name) && /^[\p{L}\p{N}_.@+:-]{0,100}$/u.test(value)
  }

  #answer(call: string, outcome: string): void {
    for (const { text, isTheirs } of answersIn(outcome, this.#choices.get(call) ?? [undefined])) {
      if (isTheirs) {
        this.person.add({ tool: 'user', call, connection: '', text })
        this.requests.told(text, false)
      } else this.outside.add({ tool: ASK, call, connection: ASK, text }, { encoded: true })
    }
  }

  #outsider(tool: string, text: string, connection: string): void {
    this.outside.add({ tool, call: '', connection, text }, { encoded: true })
  }
}

/** Where nothing parts words, the same with what does. */
const aside = (text: string): string =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? `\n${setApart(text)}` : ''

const isImage = (part: { readonly type: string; readonly mediaType?: string }): boolean =>
  part.type === 'image' || (part.mediaType ?? '').startsWith('image/')

/** Whether a tool message is the other one with more parts. */
function grew(before: Message, after: Message | undefined): boolean {
  return (
    before.role === 'tool' &&
    after?.role === 'tool' &&
    before.content.every((part, at) => after.content[at] === part)
  )
}

function connectionOf(tool: string, input: unknown): string {
  const named = isObject(input as never)
    ? (input as { readonly connection?: unknown }).connection
    : undefined
  if (typeof named === 'string') return named
  if (tool === 'fetch_url' || tool === 'web_search') return 'web'
  return tool.includes('__') ? tool.slice(0, tool.indexOf('__')) : tool
}
