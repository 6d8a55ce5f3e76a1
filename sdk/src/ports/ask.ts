import type { AskedQuestion, AskId, AskType, CallId, JsonObject } from '@amodal/kernel'

/** A question before it has an id. */
export interface QuestionDraft {
  readonly type: AskType
  /** JSON Schema that an answer must fit (`pending_input_schema`). */
  readonly schema: JsonObject
  readonly context: JsonObject
  readonly questions?: readonly AskedQuestion[]
  readonly expiresInMs?: number
  /**
   * The answer is not the outcome of the call that asked: the call runs a second time and reads the
   * answer from `ctx.answers`.
   */
  readonly resumes?: boolean
  /** The call that asked also runs once more where the question expires. */
  readonly wakes?: boolean
}

export interface Question extends QuestionDraft {
  readonly id: AskId
  readonly call?: CallId
}

export interface Answer {
  readonly answer: JsonObject
}
