import type { AnswerInput, Ask } from '@amodal/sdk/client'
import type { Json } from '@amodal/sdk'
import { z } from 'zod'
import type { Addition } from '../feed/item-feed.ts'
import type { LineOutput, ReadLine } from './output.ts'

/** A line of input: a message, or the answer to a question. */
const Line = z.union([
  z.object({ message: z.string().min(1) }),
  z.object({
    answer: z.object({
      approved: z.boolean().optional(),
      scope: z.enum(['once', 'conversation']).optional(),
      feedback: z.string().optional(),
      answers: z.json().optional(),
      response: z.json().optional(),
      action: z.string().optional(),
    }),
  }),
])

/** The message of a line: its text, or the `message` of a JSON object. */
export function messageIn(line: string): string {
  const read = readLine(line)
  return read && 'message' in read ? read.message : line
}

function readLine(line: string): z.infer<typeof Line> | undefined {
  if (!line.trimStart().startsWith('{')) return undefined
  try {
    return Line.safeParse(JSON.parse(line)).data
  } catch {
    return undefined // a message that begins with a brace
  }
}

/** A JSON object per line: for scripts. */
export class JsonOutput implements LineOutput {
  readonly callsWhenBegun = false
  readonly #print: (line: string) => void
  readonly #read: ReadLine
  readonly #sessionOf: () => string | undefined
  #session: string | undefined

  /** @param sessionOf the id of the current session */
  constructor(print: (line: string) => void, read: ReadLine, sessionOf: () => string | undefined) {
    this.#print = print
    this.#read = read
    this.#sessionOf = sessionOf
  }

  add(addition: Addition): void {
    switch (addition.kind) {
      case 'restart':
        return this.#line({ kind: 'restart' })
      case 'text':
        return addition.isComplete ? this.#line({ kind: 'text', text: addition.text }) : undefined
      case 'item':
        return this.#line(addition.item)
      default:
        return addition satisfies never
    }
  }

  async ask(ask: Ask): Promise<AnswerInput | undefined> {
    this.#line({ kind: 'ask', open: true, ask })
    for (;;) {
      const line = await this.#read()
      if (line === undefined) return undefined
      const read = readLine(line)
      if (read && 'answer' in read) return answerOf(ask.id, read.answer)
      this.#line({
        kind: 'error',
        code: 'VALIDATION_ERROR',
        message: 'the agent waits for a line such as {"answer":{"approved":false}}',
      })
    }
  }

  problem(error: Error): void {
    const code = 'code' in error ? String(error.code) : 'INTERNAL'
    this.#line({ kind: 'error', code, message: error.message })
  }

  notice(): void {
    // a script has the session from the line before the first item
  }

  prompt(): void {
    // nobody reads it
  }

  end(): void {
    // every line is complete
  }

  #line(value: object): void {
    const session = this.#sessionOf()
    if (session !== undefined && session !== this.#session) {
      this.#session = session
      this.#print(JSON.stringify({ kind: 'session', session }))
    }
    this.#print(JSON.stringify(withoutKey(value)))
  }
}

/** The key of an item means nothing outside of this process. */
const withoutKey = (value: object): object =>
  Object.fromEntries(
    Object.entries(value).filter(
      ([name]) => !(name === 'key' && 'kind' in value && value.kind !== 'call'),
    ),
  )

/** Fields that are given, and no others. */
const answerOf = (id: string, given: Readonly<Record<string, Json | undefined>>): AnswerInput => {
  const fields = Object.entries(given).filter(([, value]) => value !== undefined)
  const answer: unknown = Object.fromEntries([['id', id], ...fields])
  return answer as AnswerInput // validated by `Line`
}
