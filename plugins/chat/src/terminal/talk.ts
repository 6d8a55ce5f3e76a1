import { isObject, redact, type AgentEvent, type Json } from '@amodal/sdk'
import type { AnswerInput } from '@amodal/sdk/client'
import type { Conversation } from './conversation.ts'
import { askQuestion, type ReadLine } from './questions.ts'
import type { Screen } from './screen.ts'

/** Maximum characters of arguments that are shown in one line. */
const LONG = 100

/** The end of a turn at the terminal. */
export type Outcome = 'done' | 'failed' | 'waits'

/** One session at the terminal. */
export class Talk {
  session: string | undefined
  readonly #conversation: Conversation
  readonly #screen: Screen
  readonly #read: ReadLine

  constructor(conversation: Conversation, screen: Screen, read: ReadLine) {
    this.#conversation = conversation
    this.#screen = screen
    this.#read = read
  }

  say(text: string): Promise<Outcome> {
    return this.#watch(this.#conversation.send(text, this.session))
  }

  /** Resumes a session and its parked run. */
  async resume(session: string): Promise<Outcome> {
    const { title, last, waits } = await this.#conversation.open(session)
    this.session = session
    this.#screen.line(`Going on with "${title}" (${session})`)
    if (last !== undefined && !waits) this.#screen.line(last)
    return waits ? this.#watch(this.#conversation.follow(session)) : 'done'
  }

  async #watch(events: AsyncIterable<AgentEvent>): Promise<Outcome> {
    for await (const event of events) {
      this.#screen.show(event)
      if (event.type === 'init') this.session = event.session_id
      if (event.type === 'done') return event.reason === 'error' ? 'failed' : 'done'
      const answer = await this.#answerTo(event)
      if (answer === 'end-of-input') return 'waits'
      if (answer && this.session !== undefined)
        await this.#conversation.answer(this.session, answer)
    }
    return 'failed'
  }

  /** Asks the person the question of an event. */
  async #answerTo(event: AgentEvent): Promise<AnswerInput | 'end-of-input' | undefined> {
    switch (event.type) {
      case 'confirmation_required': {
        if (event.pending_input_type === 'continue_or_finish') {
          const { message } = event.pending_input_context
          const more = await this.#yes(
            `${typeof message === 'string' ? message : 'The turns are used up'}. Go on? [y/n] `,
          )
          return more === undefined
            ? 'end-of-input'
            : { id: event.id, action: more ? 'continue' : 'finish' }
        }
        this.#screen.line(
          `  ? ${[event.tool_name ?? event.endpoint, event.reason].filter(Boolean).join(': ')}`,
        )
        this.#screen.line(`    ${laidOut(event.params)}`)
        return this.#approval(event)
      }
      case 'ask_user': {
        const answers: Record<string, Json> = {}
        for (const question of event.questions) {
          const reply = await askQuestion(question, this.#screen, this.#read)
          if (reply === undefined) return 'end-of-input'
          if (reply.answer !== undefined) answers[question.id] = reply.answer
        }
        return { id: event.ask_id, answers }
      }
      case 'ask_choice': {
        const { question: text, options, multi } = event
        const response = await askQuestion(
          { text, options, type: multi === true ? 'multi' : 'choice' },
          this.#screen,
          this.#read,
        )
        return response?.answer === undefined
          ? 'end-of-input'
          : { id: event.ask_id, response: response.answer }
      }
      default:
        return undefined
    }
  }

  /** `a`: also later calls of this kind, where the guards offer that. */
  async #approval({
    id,
    pending_input_context: { grant },
  }: Extract<AgentEvent, { type: 'confirmation_required' }>): Promise<
    AnswerInput | 'end-of-input'
  > {
    const { endpoint, tool } = isObject(grant) ? grant : {}
    const offered = typeof endpoint === 'string' ? endpoint : tool
    const isOffered = typeof offered === 'string'
    if (isOffered) this.#screen.line(`    a: yes, and later calls of ${offered} as well`)
    const extra = isOffered ? { a: 'always' } : {}
    const choice = await this.#choose(`  Allow it? [${isOffered ? 'y/a/n' : 'y/n'}] `, extra)
    if (choice === undefined) return 'end-of-input'
    if (choice === 'a') return { id, approved: true, scope: 'conversation' }
    return { id, approved: choice === 'y' }
  }

  async #yes(question: string): Promise<boolean | undefined> {
    const choice = await this.#choose(question)
    return choice === undefined ? undefined : choice === 'y'
  }

  /**
   * Repeats the question until the answer is one of the options, by its letter or its word: a
   * sentence that was meant for the agent is not a decision.
   *
   * @returns the letter; `undefined` at the end of input
   */
  async #choose(
    question: string,
    extra: Readonly<Record<string, string>> = {},
  ): Promise<string | undefined> {
    const words: Readonly<Record<string, string>> = { y: 'yes', ...extra, n: 'no' }
    for (;;) {
      this.#screen.ask(question)
      const line = await this.#read()
      if (line === undefined) return undefined
      const typed = line.trim().toLowerCase()
      const [letter] = Object.entries(words).find((one) => one.includes(typed)) ?? []
      if (letter !== undefined) return letter
      this.#screen.line(`  Please type ${Object.keys(words).join(' or ')}.`)
    }
  }
}

/** Arguments to approve are shown in full; a long value is split into lines. */
const laidOut = (value: Json): string => {
  const line = JSON.stringify(redact(value))
  return line.length > LONG
    ? JSON.stringify(redact(value), undefined, 2).replaceAll('\n', '\n    ')
    : line
}
