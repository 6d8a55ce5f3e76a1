import { redact, type AgentEvent, type QuestionOption } from '@amodal/sdk'
import type { OutgoingAnswer } from '@amodal/sdk/client'
import type { Conversation } from './conversation.ts'
import type { Screen } from './screen.ts'

/** Gives the next line a person types, or `undefined` once there are no more. */
export type ReadLine = () => Promise<string | undefined>

/** How a turn came to its end for the person at the terminal. */
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

  /** Goes on with a session, and with the run that waits in it. */
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
      const asked = await this.#asked(event)
      if (asked === 'nobody') return 'waits'
      if (asked && this.session !== undefined) await this.#conversation.answer(this.session, asked)
    }
    return 'failed'
  }

  /** Puts a question to the person; `nobody` where no line comes. */
  async #asked(event: AgentEvent): Promise<OutgoingAnswer | 'nobody' | undefined> {
    switch (event.type) {
      case 'confirmation_required': {
        if (event.pending_input_type === 'continue_or_finish') {
          const { message } = event.pending_input_context
          const more = await this.#yes(`${typeof message === 'string' ? message : 'The turns are used up'}. Go on? [y/N] `)
          return more === undefined ? 'nobody' : { id: event.id, action: more ? 'continue' : 'finish' }
        }
        this.#screen.line(`  ? ${[event.tool_name ?? event.endpoint, event.reason].filter(Boolean).join(': ')}`)
        this.#screen.line(`    ${JSON.stringify(redact(event.params))}`)
        const approved = await this.#yes('  Allow it? [y/N] ')
        return approved === undefined ? 'nobody' : { id: event.id, approved }
      }
      case 'ask_user': {
        const answers: Record<string, string> = {}
        for (const { id, text, options } of event.questions) {
          const answer = await this.#choose(text, options ?? [])
          if (answer === undefined) return 'nobody'
          answers[id] = answer
        }
        return { id: event.ask_id, answers }
      }
      case 'ask_choice': {
        const response = await this.#choose(event.question, event.options)
        return response === undefined ? 'nobody' : { id: event.ask_id, response }
      }
      default: return undefined
    }
  }

  async #yes(question: string): Promise<boolean | undefined> {
    this.#screen.ask(question)
    const line = await this.#read()
    return line === undefined ? undefined : /^y(es)?$/i.test(line.trim())
  }

  /** By its number, its label or its value; any text where there are no options. */
  async #choose(question: string, options: readonly QuestionOption[]): Promise<string | undefined> {
    this.#screen.line(`  ? ${question}`)
    options.forEach(({ label }, index) => this.#screen.line(`    ${index + 1}. ${label}`))
    for (;;) {
      this.#screen.ask('  › ')
      const line = (await this.#read())?.trim()
      if (line === undefined) return undefined
      const chosen = options[Number(line) - 1] ?? options.find(({ label, value }) => line === value || line.toLowerCase() === label.toLowerCase())
      if (chosen) return chosen.value
      if (options.length === 0 && line !== '') return line
      this.#screen.line(options.length === 0 ? '    Please type an answer.' : `    Please type a number from 1 to ${options.length}.`)
    }
  }
}
