import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'

/** A tool that a client brings with a message, and executes itself. */
export interface ClientTool {
  /** Letters, digits, `_` and `-`; at most 64. */
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly parameters: JsonObject
  /** `false`: the client is given one call at a time. Left out: all calls of a step at once. */
  readonly parallel?: boolean
}

/** A call that waits for the client. */
export interface ClientCall {
  readonly name: string
  readonly arguments: JsonObject
}

/** Where they stand in the session state of a message. */
const KEY = 'client-tools'
/** Marks the question of such a call. */
const MARK = 'client_tool'
/** Characters of what a client answers with. */
const LONGEST_RESULT = 200_000

/**
 * Session state that brings tools with a message (`SendRequest.sessionState`). They are the model's
 * for the run of that message, wherever it is continued.
 *
 * @example
 * await client.send({ text: 'Where am I?', sessionState: clientToolsState([locate]) })
 */
export const clientToolsState = (tools: readonly ClientTool[]): JsonObject => ({
  [KEY]: tools.map((tool) => ({ ...tool })),
})

/** The tools that a message has brought. @param state of that message, such as its entry has */
export function toolsInState(state: JsonObject | undefined): readonly ClientTool[] {
  const kept = state?.[KEY]
  return isList(kept) ? kept.flatMap((one) => toolOf(one) ?? []) : []
}

function toolOf(value: Json): ClientTool | undefined {
  if (!isObject(value)) return undefined
  const { name, description, parameters, parallel } = value
  return typeof name === 'string' && typeof description === 'string' && isObject(parameters)
    ? { name, description, parameters, ...(parallel === false && { parallel }) }
    : undefined
}

/** The context of the question that such a call asks. */
export const contextOf = (name: string, args: JsonObject): JsonObject => ({
  question: `The client is to run "${name}".`,
  [MARK]: name,
  arguments: args,
})

/** The form of what the client answers. */
export const RESULT_SCHEMA: JsonObject = {
  type: 'object',
  properties: { response: { type: 'string', maxLength: LONGEST_RESULT } },
  required: ['response'],
  additionalProperties: false,
}

/**
 * The call that a question stands for; `undefined` where a person is asked something.
 *
 * @param asked the question, or its entry in the journal, where what guards withhold is left out
 *
 * @example
 * const calls = view.asks.flatMap((ask) => clientCallOf(ask) ?? [])
 */
export function clientCallOf({
  context,
}: {
  readonly context: JsonObject
}): ClientCall | undefined {
  const { [MARK]: name, arguments: args } = context
  return typeof name === 'string' && isObject(args) ? { name, arguments: args } : undefined
}

/** The answer to such a question (`AgentClient.answer`): what came of the call, as text. */
export const resultOfClient = (text: string): JsonObject => ({
  response: textStart(text, LONGEST_RESULT),
})
