import type { AskedQuestion, AskType } from '../events.ts'
import type { AskId, CallId } from '../ids.ts'
import type { JsonObject } from '../messages.ts'

/** A question before it has an id. */
export interface QuestionDraft {
  readonly type: AskType
  /** JSON Schema that an answer must fit (`pending_input_schema`). */
  readonly schema: JsonObject
  readonly context: JsonObject
  readonly questions?: readonly AskedQuestion[]
  readonly expiresInMs?: number
}

export interface Question extends QuestionDraft { readonly id: AskId; readonly call?: CallId }

export interface Answer { readonly answer: JsonObject }
