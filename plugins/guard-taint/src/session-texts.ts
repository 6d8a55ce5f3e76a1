import {
  answersIn,
  type AskedChoices,
  choicesOf,
  isObject,
  type Json,
  type Message,
  splitContext,
  SUMMARY_HEAD,
  splitUntrusted,
} from '@amodal/sdk'
import { assetOf, type FilePart } from '@amodal/sdk/loop'
import { Requests } from './requested/requests.ts'
import { setApart } from './requested/word.ts'
import { Corpus } from './corpus.ts'
import { resultText, userText } from './texts.ts'

/** Tools that return the agent's own files or a fixed sentence. */
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
  'update_state',
])

/** Attachments of a person's message, which are trusted only if the configuration says so. */
export const TRUSTED = ['images', 'files', 'context'] as const
export type Trusted = (typeof TRUSTED)[number]

const NO_FILES: ReadonlyMap<string, string> = new Map()

/** Returns a person's answers. */
export const ASK = 'ask_user'

/**
 * The texts of a conversation by origin. It follows the history incrementally, and starts over if
 * the beginning has changed. Text of the model has no origin.
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
  #files: ReadonlyMap<string, string> = NO_FILES
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
   * @param identity names of context values that identify the caller and that the agent's files use
   * @param files texts of files by their ids
   */
  follow(
    messages: readonly Message[],
    identity: ReadonlySet<string>,
    files: ReadonlyMap<string, string> = NO_FILES,
  ): void {
    this.#identity = identity
    this.#files = files
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
    const given = message.content.flatMap((part) => (part.type === 'file' ? this.#file(part) : []))
    const { outside, inside } = splitUntrusted(text)
    for (const one of inside) this.#outsider('event', one.text, one.source)
    const trusted = context !== '' && this.#trusted.has('context') ? [context] : []
    const said = [outside, ...trusted, ...given].join('\n')
    if (this.#delegated) return this.#outsider('dispatch_task', said, '')
    this.person.add({ tool: 'user', call: '', connection: '', text: `${said}${aside(said)}` })
    this.requests.told(outside, true)
  }

  /**
   * What a file says and is called. What an image says, or a file that is no text, is read by the
   * model alone.
   *
   * @returns what counts as words of the person
   */
  #file(part: FilePart): readonly string[] {
    const kind = part.mediaType.startsWith('image/') ? 'image' : 'file'
    const text = this.#files.get(assetOf(part)?.asset ?? '') ?? `[${kind}]`
    const whole = part.filename === undefined ? text : `${part.filename}\n${text}`
    if (this.#trusted.has(`${kind}s`)) return [whole]
    this.#outsider(kind, whole, '')
    return []
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
