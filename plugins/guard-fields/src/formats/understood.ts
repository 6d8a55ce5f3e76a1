import type { Json } from '@amodal/sdk'

/**
 * A text that was read as what it is: data, and how it is told once something of it was changed.
 */
export interface Understood {
  readonly value: Json
  readonly render: (clean: Json) => string
}

/**
 * Where a text stands. `whole`: it is all of an answer, so that a sentence in it belongs to no
 * field.
 */
export interface Place {
  readonly whole: boolean
  readonly isRestricted: (name: string) => boolean
  /** Reads a text inside of a text. */
  readonly read: (text: string) => Understood | undefined
}

export type Reader = (text: string, place: Place) => Understood | undefined

export const asJson = (clean: Json): string => JSON.stringify(clean)
/** What stands where sentences stood that nothing says the field of. */
export const LEFT_OUT = '[withheld: text outside of fields]'

const WORD =
  /^"?(?:ok|okay|done|created|accepted|success|successful|succeeded|true|false|pong|healthy|deleted|updated|queued|received|no content|not found|unauthorized|forbidden|bad request|null|\[done\])?[.!]?"?$/i
const LONGEST_WORD = 40

/** Nothing but a word that it was done. */
export const isAcknowledgement = (text: string): boolean =>
  text.length <= LONGEST_WORD && WORD.test(text.trim())
