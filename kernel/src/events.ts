import type { Code } from './errors.ts'
import type { Json, JsonObject } from './json.ts'

export type DoneReason =
  | 'model_stop'
  | 'max_turns'
  | 'user_abort'
  | 'error'
  | 'budget_exceeded'
  | 'loop_detected'

export interface QuestionOption {
  readonly label: string
  readonly value: string
}
export interface AskedQuestion {
  readonly id: string
  readonly text: string
  readonly type?: 'text' | 'choice' | 'multi' | 'boolean'
  readonly options?: readonly QuestionOption[]
  readonly required?: boolean
  /** Used where the person does not enter a value. */
  readonly default?: Json
  /** Type and constraints of its value, as JSON Schema. */
  readonly schema?: JsonObject
}

/** Part of a result. With an `audience` only that one receives it: the person, or the model. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string; readonly audience?: 'user' | 'model' }
  | {
      readonly type: 'image'
      readonly mimeType: string
      readonly data: string
      readonly isUrl?: boolean
      readonly audience?: 'user' | 'model'
    }

export type AskType = 'approval' | 'question' | 'continue_or_finish'

/** A run failed, or a part of it did. */
export interface ErrorEvent {
  readonly type: 'error'
  readonly code: Code
  readonly message: string
}

/**
 * An event of a run, for its readers. The kernel emits `error` itself and passes on the events of
 * the loop, of which it knows the type only; `done` ends a run.
 */
export interface RunEvent {
  readonly type: string
}
