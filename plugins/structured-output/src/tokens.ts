import { slot, type Failure, type JsonObject, type Result } from '@amodal/sdk'

/** What the answer to one message has to be. */
export interface ResponseFormat {
  /** JSON Schema of the answer; `{}` for any JSON. */
  readonly schema: JsonObject
  /** For providers that name a format: letters, digits, `_` and `-`; default `answer`. */
  readonly name?: string
}

/** Requests an answer as JSON, for plugins that accept messages. */
export interface ResponseFormats {
  /**
   * The `sessionState` of a message whose answer has this format. It holds for the run of that
   * message alone.
   *
   * @returns `VALIDATION_ERROR` where the schema cannot be used
   * @example
   * const schema = { type: 'object', properties: { sum: { type: 'number' } } }
   * const state = formats.stateOf({ schema })
   * if (state.ok) await client.send({ text: 'What is 1 + 1?', sessionState: state.value })
   */
  stateOf(format: ResponseFormat): Result<JsonObject, Failure>
}

export const ResponseFormats = slot.kernel<ResponseFormats>('response-formats')
