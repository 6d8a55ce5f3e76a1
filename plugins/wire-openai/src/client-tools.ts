import type { ClientTool } from '@amodal/plugin-client-tools/tokens'
import { isObject, type JsonObject } from '@amodal/sdk'
import type { z } from 'zod'
import type { functionTool } from './parameters.ts'

/**
 * A client that declares a function of this name can answer for a person: approvals and questions
 * are then calls of it, and what it returns is the answer. The model is not told of it.
 */
export const RESPOND = 'amodal_respond'

export interface OfferedTools {
  /** Those that the client executes. */
  readonly tools: readonly ClientTool[]
  /** It can answer for a person. */
  readonly canRespond: boolean
}

const NO_PARAMETERS = { type: 'object', properties: {} } as const

/** @param none the request forbids calls of tools */
export function offeredTools(
  functions: readonly z.output<typeof functionTool>[],
  { parallel, none }: { readonly parallel: boolean; readonly none: boolean },
): OfferedTools {
  const tools = functions
    .filter(({ name }) => name !== RESPOND && !none)
    .map(({ name, description, parameters }) => ({
      name,
      description: description ?? name,
      parameters: parameters ?? NO_PARAMETERS,
      ...(!parallel && { parallel }),
    }))
  return { tools, canRespond: tools.length < functions.length && !none }
}

const KEY = 'wire-openai'

/** Session state of a message whose client can answer for a person. */
export const respondState = ({ canRespond }: Pick<OfferedTools, 'canRespond'>): JsonObject => ({
  [KEY]: { canRespond },
})

/** @param state of a message, such as its entry has */
export function canRespondIn(state: JsonObject | undefined): boolean {
  const kept = state?.[KEY]
  return isObject(kept) && kept['canRespond'] === true
}
