import {
  err,
  ok,
  type AgentBundle,
  type Failure,
  type JsonObject,
  type Result,
  type RunContext,
  type SessionChanged,
  type ToolContext,
} from '@amodal/sdk'
import { declarationOf, type Expressions } from './declaration.ts'
import { StateRefused } from './errors.ts'
import { evaluate, problemsOf } from './expressions.ts'
import { staged, valuesOf, workingValuesOf } from './kept.ts'
import { allowed, fitting } from './rules.ts'
import { changeOf } from './turn-end.ts'

export { StateRefused } from './errors.ts'

/** The state of a session, for one call of a tool. */
export interface StateOfCall {
  /** The values as the turn has made them; frozen. */
  readonly values: JsonObject
  /**
   * Changes fields, as the declaration allows tools. What it returns belongs into the
   * `sessionState` of the call's result: it counts once the turn has ended well.
   */
  change(changes: JsonObject): Result<JsonObject, Failure>
}

/**
 * The live state that a tool may read and change; `undefined` where the agent declares none.
 *
 * @example
 * const state = stateOfCall(ctx)
 * const changed = state?.change({ subject: 'geometry' })
 * if (changed?.ok === false) return { status: 'error', message: changed.error.message }
 * return { status: 'success', output: 'done', ...(changed && { sessionState: changed.value }) }
 */
export function stateOfCall({
  bundle,
  sessionState,
  run,
}: Pick<ToolContext, 'bundle' | 'sessionState' | 'run'>): StateOfCall | undefined {
  const declaration = declarationOf(bundle)
  if (!declaration) return undefined
  const { fields } = declaration
  return {
    values: Object.freeze(workingValuesOf(sessionState, fields, run)),
    change(changes) {
      const may = allowed(changes, 'tools', fields)
      return may.ok ? ok(staged(run, may.value)) : may
    },
  }
}

/**
 * What a session begins with that has these values: the `sessionState` and the events of its first
 * change. Who asks for it decides which fields are open.
 *
 * @example
 * const begun = beginningState(bundle, { subject: 'geometry' })
 * // → ok({ sessionState: { 'lasting:state/subject': [1, 'geometry'] }, events: [ … ] })
 */
export function beginningState(
  bundle: AgentBundle,
  values: JsonObject,
): Result<Pick<SessionChanged, 'sessionState' | 'events'>, Failure> {
  const declaration = declarationOf(bundle)
  if (!declaration)
    return Object.keys(values).length === 0
      ? ok({ sessionState: {} })
      : err(StateRefused('this agent declares no state'))
  const may = fitting(values, declaration.fields)
  if (!may.ok) return may
  const change = changeOf({}, declaration, may.value)
  return ok(change ?? { sessionState: {} })
}

const onlyText = (instructions: string): Expressions => ({
  instructions,
  model: null,
  temperature: null,
  maxTurns: null,
  maxTokens: null,
})

/** What is wrong with a text with `{{ expressions }}` over the state, seen without any values. */
export const problemsOfText = (bundle: AgentBundle, text: string): readonly string[] =>
  problemsOf(onlyText(text), declarationOf(bundle)?.fields ?? []).map(({ message }) => message)

/**
 * A text with its `{{ expressions }}` filled in, over the values that count; `undefined` where one
 * fails on these values.
 */
export function textOverState(
  { bundle, sessionState }: Pick<RunContext, 'bundle' | 'sessionState'>,
  text: string,
): string | undefined {
  const fields = declarationOf(bundle)?.fields ?? []
  return evaluate(onlyText(text), fields, valuesOf(sessionState, fields)).instructions
}
