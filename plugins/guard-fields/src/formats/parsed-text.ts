import type { Json } from '@amodal/sdk'

/**
 * A parsed text: its data, and how to render it after a change.
 */
export interface ParsedText {
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
  readonly read: (text: string) => ParsedText | undefined
}

export type Reader = (text: string, place: Place) => ParsedText | undefined

export const asJson = (clean: Json): string => JSON.stringify(clean)
/** Replaces sentences that belong to no field. */
export const LEFT_OUT = '[withheld: text outside of fields]'

const WORD =
  /^"?(?:ok|okay|done|created|accepted|success|successful|succeeded|true|false|pong|healthy|deleted|updated|queued|received|no content|not found|unauthorized|forbidden|bad request|null|\[done\])?[.!]?"?$/i
const LONGEST_WORD = 40

/** Whether a text only acknowledges a call, such as "ok". */
export const isAcknowledgement = (text: string): boolean =>
  text.length <= LONGEST_WORD && WORD.test(text.trim())
