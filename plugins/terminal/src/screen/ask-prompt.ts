import type { AskedQuestion, Json } from '@amodal/sdk'
import type { AnswerInput, Ask } from '@amodal/sdk/client'
import { withoutControls } from '@amodal/sdk/data'
import { adviceFor, answerIn, presetOf } from '../questions.ts'

/** What a person may choose. */
export interface Choice {
  readonly label: string
  /** Words that choose it when they are typed. */
  readonly words: readonly string[]
  /** `undefined`: a text follows first, which says why. */
  readonly answer: Omit<AnswerInput, 'id'> | undefined
}

/** An open question of the agent, and how far it is answered. */
export class AskPrompt {
  readonly ask: Ask
  readonly #answers: Record<string, Json> = {}
  #question = 0
  #selected = 0
  #isExplaining = false
  #problem = ''

  constructor(ask: Ask) {
    this.ask = ask
  }

  /** Choices; none where a text is typed. */
  get choices(): readonly Choice[] {
    return this.#isExplaining ? [] : choicesOf(this.ask)
  }
  get selected(): number {
    return this.#selected
  }
  /** Why the last text was no answer. */
  get problem(): string {
    return this.#problem
  }

  /** What is asked, and the options that a text may name. */
  get question(): readonly string[] {
    if (this.#isExplaining) return ['What should it do instead?']
    const question = this.#current
    if (!question) return []
    const preset = presetOf(question)
    return [
      question.text + (preset === '' ? '' : ` (Enter: ${preset})`),
      ...(question.options ?? []).map(({ label }, at) => `  ${at + 1}. ${label}`),
      ...(question.type === 'boolean' ? ['  y or n'] : []),
      ...(question.type === 'multi' ? ['  several: 1, 2'] : []),
    ].map(withoutControls)
  }

  get #current(): AskedQuestion | undefined {
    return this.ask.kind === 'question' ? this.ask.questions[this.#question] : undefined
  }

  /** Moves the selection. */
  move(by: number): void {
    const count = this.choices.length
    if (count > 0) this.#selected = (this.#selected + by + count) % count
  }

  /**
   * Selects the choice that a text names; anything else selects the first one, which changes
   * nothing in the world: a sentence that was meant for the agent is not a decision.
   */
  select(text: string): void {
    const word = text.trim().toLowerCase()
    const at = this.choices.findIndex(({ words }) => words.includes(word))
    this.#selected = Math.max(0, at)
  }

  /**
   * Takes the selected choice, or a text.
   *
   * @returns the answer; `undefined` while something is still to be answered
   */
  enter(text: string): AnswerInput | undefined {
    const { id } = this.ask
    if (this.#isExplaining)
      return { id, approved: false, ...(text.trim() !== '' && { feedback: text.trim() }) }
    const choice = this.choices[this.#selected]
    if (choice?.answer) return { id, ...choice.answer }
    if (choice) {
      this.#isExplaining = true
      return undefined
    }
    return this.#answerQuestion(text.trim())
  }

  #answerQuestion(line: string): AnswerInput | undefined {
    const question = this.#current
    if (!question || this.ask.kind !== 'question') return undefined
    const answer = answerIn(line, question)
    this.#problem = answer === undefined ? adviceFor(question) : ''
    if (answer === undefined) return undefined
    if (answer !== 'skipped') this.#answers[question.id] = answer.value
    this.#question++
    return this.#question < this.ask.questions.length
      ? undefined
      : { id: this.ask.id, answers: this.#answers }
  }
}

function choicesOf(ask: Ask): readonly Choice[] {
  switch (ask.kind) {
    case 'approval':
      return [
        { label: 'No', words: ['n', 'no'], answer: { approved: false } },
        { label: 'Yes', words: ['y', 'yes'], answer: { approved: true } },
        ...(ask.grant === undefined
          ? []
          : [
              {
                label: `Yes, and later calls of ${withoutControls(ask.grant)} in this conversation`,
                words: ['a', 'always'],
                answer: { approved: true, scope: 'conversation' as const },
              },
            ]),
        { label: 'No, and say why', words: ['w', 'why'], answer: undefined },
      ]
    case 'limit':
      return [
        { label: 'Finish', words: ['n', 'no', 'finish'], answer: { action: 'finish' } },
        { label: 'Continue', words: ['y', 'yes', 'continue'], answer: { action: 'continue' } },
      ]
    case 'question':
      return []
    default:
      return ask satisfies never
  }
}
