import { redact, type Json } from '@amodal/sdk'
import type { AnswerInput, Ask, Call, Item } from '@amodal/sdk/client'
import { ellipsis, withoutControls } from '@amodal/sdk/data'
import type { Addition } from '../feed/item-feed.ts'
import { plain } from '../paint.ts'
import { adviceFor, answerIn, presetOf } from '../questions.ts'
import { shortValue, valueLines } from '../screen/values.ts'
import type { LineOutput, ReadLine } from './output.ts'

/** Characters of a value that is shown in one line. */
const SHORT = 100

/** Plain lines: for pipes, terminals without a cursor, and screen readers. */
export class TextOutput implements LineOutput {
  readonly callsWhenBegun = true
  readonly #write: (text: string) => void
  readonly #read: ReadLine
  /** Calls whose beginning is written. */
  readonly #calls = new Set<string>()
  #isInLine = false
  #text: { readonly id: number; length: number } = { id: 0, length: 0 }

  constructor(write: (text: string) => void, read: ReadLine) {
    this.#write = write
    this.#read = read
  }

  add(addition: Addition): void {
    switch (addition.kind) {
      case 'restart':
        return this.notice('  (the answer begins again)')
      case 'text':
        return this.#grow(addition.id, addition.text)
      case 'item':
        return this.#item(addition.item)
      default:
        return addition satisfies never
    }
  }

  problem(error: Error): void {
    this.notice(`  ✗ ${'code' in error ? `${String(error.code)}: ` : ''}${error.message}`)
  }

  notice(text: string): void {
    this.end()
    this.#write(`${withoutControls(text)}\n`)
  }

  prompt(): void {
    this.#prompt('\nyou › ')
  }

  end(): void {
    if (this.#isInLine) this.#write('\n')
    this.#isInLine = false
  }

  async ask(ask: Ask): Promise<AnswerInput | undefined> {
    switch (ask.kind) {
      case 'approval':
        return this.#approval(ask)
      case 'limit':
        return this.#limit(ask)
      case 'question':
        return this.#questions(ask)
      default:
        return ask satisfies never
    }
  }

  #grow(id: number, text: string): void {
    if (this.#text.id !== id) {
      this.end()
      this.#text = { id, length: 0 }
    }
    const more = text.slice(this.#text.length)
    this.#text.length = text.length
    if (more === '') return
    this.#write(more)
    this.#isInLine = !more.endsWith('\n')
  }

  #item(item: Item): void {
    switch (item.kind) {
      case 'call':
        return this.#call(item)
      case 'widget':
        return this.notice(`  [${item.type}] ${short(item.data)}`)
      case 'note':
        return this.notice(`  ${SIGNS[item.tone]} ${item.text}`)
      case 'doubt':
        return this.notice(`  ? whether ${item.tool} happened is unknown: amodal ops runs shows it`)
      case 'end':
        return item.reason === 'model_stop' || item.reason === 'error'
          ? this.end()
          : this.notice(`  (ended: ${item.reason})`)
      case 'user':
      case 'ask':
      case 'text':
      case 'thought':
        return undefined
      default:
        return item satisfies never
    }
  }

  #call({ key, label, params, status, result = '', log }: Call): void {
    if (!this.#calls.has(key)) this.notice(`  → ${label} ${short(params)}`)
    this.#calls.add(key)
    if (status === 'running' || status === 'waiting') return
    for (const line of log) this.notice(`    ${line}`)
    if (status === 'error') this.notice(`  ✗ ${result === '' ? 'failed' : result}`)
  }

  /** `a`: also later calls of this kind, where the guards offer that. */
  async #approval(
    ask: Extract<Ask, { readonly kind: 'approval' }>,
  ): Promise<AnswerInput | undefined> {
    const { id, grant, tool, reason, params, expires } = ask
    this.notice(`  ? ${[tool, reason].filter((part) => part !== '').join(': ')}`)
    for (const line of parametersOf(params)) this.notice(`    ${line}`)
    if (expires !== undefined) this.notice(`    expires ${expires}`)
    if (grant !== undefined) this.notice(`    a: yes, and later calls of ${grant} as well`)
    const isOffered = grant !== undefined
    const choice = await this.#choose(
      `  Allow it? [${isOffered ? 'y/a/n' : 'y/n'}] `,
      isOffered ? { y: 'yes', a: 'always', n: 'no' } : { y: 'yes', n: 'no' },
    )
    if (choice === undefined) return undefined
    if (choice === 'a') return { id, approved: true, scope: 'conversation' }
    return { id, approved: choice === 'y' }
  }

  async #limit(ask: Extract<Ask, { readonly kind: 'limit' }>): Promise<AnswerInput | undefined> {
    const { id, reason, limit, used } = ask
    const what = reason === '' ? 'A limit is reached' : reason.replaceAll('_', ' ')
    const share = limit === '' ? '' : ` (${used} of ${limit})`
    const choice = await this.#choose(`  ${what}${share}. Go on? [y/n] `, { y: 'yes', n: 'no' })
    return choice === undefined ? undefined : { id, action: choice === 'y' ? 'continue' : 'finish' }
  }

  async #questions(
    ask: Extract<Ask, { readonly kind: 'question' }>,
  ): Promise<AnswerInput | undefined> {
    const answers: Record<string, Json> = {}
    for (const question of ask.questions) {
      const preset = presetOf(question)
      this.notice(`  ? ${question.text}${preset === '' ? '' : ` (Enter: ${preset})`}`)
      question.options?.forEach(({ label }, at) => this.notice(`    ${at + 1}. ${label}`))
      for (;;) {
        this.#prompt(question.type === 'boolean' ? '  [y/n] › ' : '  › ')
        const line = (await this.#read())?.trim()
        if (line === undefined) return undefined
        const answer = answerIn(line, question)
        if (answer === 'skipped') break
        if (answer !== undefined) {
          answers[question.id] = answer.value
          break
        }
        this.notice(`    ${adviceFor(question)}`)
      }
    }
    return { id: ask.id, answers }
  }

  /**
   * Repeats the question until the answer is one of the options, by its letter or its word: a
   * sentence that was meant for the agent is not a decision.
   *
   * @returns the letter; `undefined` at the end of input
   */
  async #choose(
    question: string,
    words: Readonly<Record<string, string>>,
  ): Promise<string | undefined> {
    for (;;) {
      this.#prompt(question)
      const line = await this.#read()
      if (line === undefined) return undefined
      const typed = line.trim().toLowerCase()
      const [letter] = Object.entries(words).find((one) => one.includes(typed)) ?? []
      if (letter !== undefined) return letter
      this.notice(`  Please type ${Object.keys(words).join(' or ')}.`)
    }
  }

  #prompt(text: string): void {
    this.end()
    this.#write(text)
  }
}

const SIGNS = { info: '·', warning: '!', error: '✗' } as const

const short = (value: Json): string => ellipsis(shortValue(value), SHORT)

/** Arguments to approve are shown in full; long ones by name, with what they change. */
function parametersOf(value: Json): readonly string[] {
  const line = withoutControls(JSON.stringify(redact(value)))
  return line.length > SHORT ? valueLines(value, { columns: SHORT, paint: plain }) : [line]
}
