import {
  answersIn,
  type AskedChoices,
  choicesOf,
  type Json,
  type Message,
  splitContext,
  splitUntrusted,
  SUMMARY_HEAD,
} from '@amodal/sdk'
import { assetOf, type FilePart } from '@amodal/sdk/loop'
import { connectionOf } from './connection-name.ts'
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

/** Returns a person's answers. */
export const ASK = 'ask_user'

/** A call of the conversation that has its result. */
export interface FinishedCall {
  readonly tool: string
  readonly args: Json
}

/** What the texts of a conversation are judged by. */
export interface Trust {
  /** Attachments that count as the person's own. */
  readonly attachments: ReadonlySet<Trusted>
  /** Names of connections, and which of them their owner trusts. */
  readonly connections: ReadonlyMap<string, boolean>
  /** Names of `context` values that identify the caller and that the agent's files use. */
  readonly identity: ReadonlySet<string>
  /** Who wrote to a sub-agent is the model that called it. */
  readonly delegated: boolean
  /** Texts of files by their ids. */
  readonly files: ReadonlyMap<string, string>
}

/**
 * The texts of a conversation by origin. It follows the history as a run adds to it, and starts
 * over if the beginning has changed. Text of the model has no origin.
 */
export class SessionTexts {
  /** What people wrote, and what connections returned that their owner trusts. */
  person: Corpus
  /** What came from outside. */
  outside: Corpus
  /** What people wrote, message by message. */
  messages: string[] = []
  /** Calls that have finished since the newest message. */
  finished: FinishedCall[] = []
  readonly #maxChars: number
  #trust: Trust
  #read: Message[] = []
  /** Parts of the message at the end, which grows while calls are answered. */
  #parts = 0
  readonly #calls = new Map<string, FinishedCall>()
  /** What people could choose from, where they were asked. */
  readonly #choices = new Map<string, readonly AskedChoices[]>()

  constructor(maxChars: number, trust: Trust) {
    this.#maxChars = maxChars
    this.#trust = trust
    this.person = new Corpus(maxChars)
    this.outside = new Corpus(maxChars)
  }

  follow(messages: readonly Message[], trust: Trust): void {
    this.#trust = trust
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
    this.messages = []
    this.finished = []
    this.#read = []
    this.#parts = 0
    this.#calls.clear()
    this.#choices.clear()
  }

  /** @param from parts of it that are known already */
  #take(message: Message, from: number): void {
    switch (message.role) {
      case 'user':
        return from > 0 ? undefined : this.#takeUser(message)
      case 'tool':
        return message.content.slice(from).forEach((part) => {
          if (part.type === 'tool-result') this.#takeResult(part)
        })
      case 'assistant':
        return message.content.slice(from).forEach((part) => {
          if (part.type !== 'tool-call') return
          // the provider's type of JSON is looser
          this.#calls.set(part.toolCallId, { tool: part.toolName, args: part.input as Json })
          if (part.toolName === ASK) this.#choices.set(part.toolCallId, choicesOf(part.input))
        })
      case 'system':
        return
    }
  }

  #takeResult(part: Parameters<typeof resultText>[0]): void {
    const { toolName: tool, toolCallId: call, output } = part
    const origin = this.#calls.get(call)
    if (origin && output.type !== 'error-text' && output.type !== 'execution-denied')
      this.finished.push(origin)
    if (OWN.has(tool)) return
    if (tool === ASK && output.type !== 'error-text')
      return this.#takeAnswer(call, resultText(part))
    const { name, known } = connectionOf(tool, origin?.args, this.#trust.connections)
    const source = { tool, call, connection: name, text: resultText(part) }
    if (known === 'trusted') this.person.add(source)
    else this.outside.add(source, { encoded: true })
  }

  #takeUser(message: Extract<Message, { role: 'user' }>): void {
    const { attachments, delegated } = this.#trust
    const { text, context: sent } = splitContext(userText(message))
    const context = sent
      .split('\n')
      .filter((line) => !this.#isIdentity(line))
      .join('\n')
    if (text.startsWith(SUMMARY_HEAD)) return this.#addOutside('summary', text, '')
    if (context !== '' && !attachments.has('context')) this.#addOutside('context', context, '')
    const files = message.content.flatMap((part) =>
      part.type === 'file' ? this.#takeFile(part) : [],
    )
    const { outside, inside } = splitUntrusted(text)
    for (const one of inside) this.#addOutside('event', one.text, one.source)
    const trusted = context !== '' && attachments.has('context') ? [context] : []
    const written = [outside, ...trusted, ...files].join('\n')
    if (delegated) return this.#addOutside('dispatch_task', written, '')
    this.person.add({ tool: 'user', call: '', connection: '', text: written })
    this.messages.push(outside)
    this.finished = []
  }

  /**
   * What a file says and is called. What an image says, or a file that is no text, is read by the
   * model alone.
   *
   * @returns what counts as words of the person
   */
  #takeFile(part: FilePart): readonly string[] {
    const kind = part.mediaType.startsWith('image/') ? 'image' : 'file'
    const text = this.#trust.files.get(assetOf(part)?.asset ?? '') ?? `[${kind}]`
    const named = part.filename === undefined ? text : `${part.filename}\n${text}`
    if (this.#trust.attachments.has(`${kind}s`)) return [named]
    this.#addOutside(kind, named, '')
    return []
  }

  /** Who asks, as an id or a name: no room for anything else. */
  #isIdentity(line: string): boolean {
    const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? []
    return this.#trust.identity.has(name) && /^[\p{L}\p{N}_.@+:-]{0,100}$/u.test(value)
  }

  #takeAnswer(call: string, outcome: string): void {
    for (const { text, isTheirs } of answersIn(outcome, this.#choices.get(call) ?? [undefined])) {
      if (isTheirs) {
        this.person.add({ tool: 'user', call, connection: '', text })
        this.messages.push(text)
      } else this.outside.add({ tool: ASK, call, connection: ASK, text }, { encoded: true })
    }
  }

  #addOutside(tool: string, text: string, connection: string): void {
    this.outside.add({ tool, call: '', connection, text }, { encoded: true })
  }
}

/** Whether a tool message is the other one with more parts. */
function grew(before: Message, after: Message | undefined): boolean {
  return (
    before.role === 'tool' &&
    after?.role === 'tool' &&
    before.content.every((part, at) => after.content[at] === part)
  )
}
