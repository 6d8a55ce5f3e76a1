import { hashOf, isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { isNumber } from '@amodal/sdk/data'
import { messageWords } from './json-message.ts'
import { parseMessage, type Clause, type ParsedMessage } from './clause.ts'
import type { Token } from './word.ts'

/** A call that was made. */
export interface MadeCall {
  readonly turn: number
  readonly tool: string
  readonly args: Json
}

interface Told {
  readonly turn: number
  readonly text: string
  said?: ParsedMessage
}

/** What people asked for in a conversation, turn by turn, and what was done of it. */
export class Requests {
  readonly #told: Told[] = []
  #turn = 0
  /** By what was done, the turn in which it was done last. */
  readonly #done = new Map<string, number>()
  readonly #calls = new Set<string>()
  #made: MadeCall[] = []

  /** A person's message begins a turn; an answer of theirs belongs to the one that is. */
  told(text: string, begins: boolean): void {
    if (begins) {
      this.#turn++
      this.#made = this.#made.filter(({ turn }) => turn >= this.#turn - 1)
      this.#calls.clear()
    }
    const words = messageWords(text)
    if (words.trim() !== '') this.#told.push({ turn: this.#turn, text: words })
  }

  /** A call that was made and did not fail. */
  did(tool: string, args: Json): void {
    this.#done.set(kindOf(tool, args), this.#turn)
    this.#calls.add(hashOf([tool, args]))
    this.#made.push({ turn: this.#turn, tool, args })
  }

  /** Calls of the same kind that were made in the turn before. */
  madeBefore(tool: string, args: Json): readonly MadeCall[] {
    const kind = kindOf(tool, args)
    return this.#made.filter(
      (one) => one.turn === this.#turn - 1 && kindOf(one.tool, one.args) === kind,
    )
  }

  /** The newest calls of this turn and the one before. */
  lastMade(most: number): readonly MadeCall[] {
    return this.#made.slice(-most)
  }

  /** Numbers that calls of the turn before were given. */
  madeNumbers(): readonly number[] {
    return this.#made.flatMap(({ args }) => numbersOf(args))
  }

  /** What was said in this turn. */
  now(): readonly ParsedMessage[] {
    return this.#told.filter(({ turn }) => turn === this.#turn).map(read)
  }

  /** What was said in this turn and the one before. */
  lately(): readonly string[] {
    return this.#told.filter(({ turn }) => turn >= this.#turn - 1).map(({ text }) => text)
  }

  /** Whether this very call was made in this turn. */
  isRepeated(tool: string, args: JsonObject): boolean {
    return this.#calls.has(hashOf([tool, args]))
  }

  /** What is asked for now: what was said since a call of this kind was made in an earlier turn. */
  clauses(tool: string, args: JsonObject): readonly Clause[] {
    const done = this.#done.get(kindOf(tool, args)) ?? 0
    const since = done === this.#turn ? 0 : done
    return this.#told.filter(({ turn }) => turn > since).flatMap((one) => read(one).clauses)
  }

  /** Every word that people said, text by text. */
  tokens(): readonly (readonly Token[])[] {
    return this.#told.map((one) => read(one).tokens)
  }

  texts(): readonly string[] {
    return this.#told.map(({ text }) => text)
  }
}

const read = (one: Told): ParsedMessage => (one.said ??= parseMessage(one.text))

/** Calls that differ in their ids only are of one kind. */
function kindOf(tool: string, args: Json): string {
  if (!isObject(args) || typeof args['endpoint'] !== 'string') return tool
  const path = args['endpoint']
    .replace(/[?#].*$/s, '')
    .split('/')
    .map((part) => (/\d|@/.test(part) ? '{}' : part.toLowerCase()))
    .join('/')
  return JSON.stringify([
    tool,
    args['connection'],
    typeof args['method'] === 'string' ? args['method'].toUpperCase() : '',
    path,
  ])
}

function numbersOf(value: Json): readonly number[] {
  if (isNumber(value)) return [Number(value)]
  if (isList(value)) return value.flatMap(numbersOf)
  return isObject(value) ? Object.values(value).flatMap(numbersOf) : []
}
