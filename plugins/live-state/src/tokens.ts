import {
  err,
  ok,
  type AgentBundle,
  type Exit,
  type Failure,
  type JournalEntry,
  type JsonObject,
  type Result,
  type RunContext,
  type SessionChanged,
  type ToolContext,
} from '@amodal/sdk'
import { ENTRY_VERSION } from '@amodal/sdk/loop'
import { declarationOf, type Expressions } from './declaration.ts'
import { StateRefused } from './errors.ts'
import { evaluate, problemsOf } from './expressions.ts'
import { inputsOf } from './inputs.ts'
import { staged, valuesOf, workingValuesOf } from './stored-state.ts'
import { changesOfPatch } from './patch.ts'
import { allowed, fitting } from './rules.ts'
import { changeOf } from './turn-end.ts'

export { StateRefused } from './errors.ts'
export { statusOf } from './status.ts'

/** The state of a session, for one call of a tool. */
export interface StateOfCall {
  /** The values as the turn in progress sees them; frozen. */
  readonly values: JsonObject
  /**
   * Gives properties new values, as far as the declaration lets tools. What it returns belongs into
   * the `sessionState` of the call's result: it counts once the turn has ended well.
   */
  change(changes: JsonObject): Result<JsonObject, Failure>
  /** Applies a JSON Patch (RFC 6902), all operations or none. Returns the same as `change`. */
  patch(operations: readonly JsonObject[]): Result<JsonObject, Failure>
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
  const { properties } = declaration
  const values = Object.freeze(workingValuesOf(sessionState, properties, run))
  const change = (changes: JsonObject): Result<JsonObject, Failure> => {
    const may = allowed(changes, 'tools', properties)
    return may.ok ? ok(staged(run, may.value)) : may
  }
  return {
    values,
    change,
    patch(operations) {
      const changes = changesOfPatch(values, operations)
      return changes.ok ? change(changes.value) : changes
    },
  }
}

/**
 * A change of the state by a plugin's tap of `state.leave.*`: it counts once the turn has ended
 * well, like that of a tool. It is journaled with the step that the tap ends.
 *
 * @returns the exit with a note of the change; an error where a value does not fit
 * @example
 * hooks.state.leave.executing.tap((exit, _state, ctx) => {
 *   const changed = withStateChange(exit, ctx, { phase: 'checked' }, clock.now())
 *   return changed.ok ? changed.value : undefined
 * })
 */
export function withStateChange(
  exit: Exit,
  { bundle, run }: Pick<RunContext, 'bundle' | 'run'>,
  changes: JsonObject,
  now: number,
): Result<Exit, Failure> {
  const declaration = declarationOf(bundle)
  if (!declaration) return err(StateRefused('this agent declares no state'))
  const fits = fitting(changes, declaration.properties)
  if (!fits.ok) return fits
  const note: JournalEntry = {
    v: ENTRY_VERSION.note,
    kind: 'note',
    run,
    at: now,
    code: 'state_staged',
    text: `Properties of the state that a plugin changes: ${Object.keys(changes).join(', ')}`,
    session_state: staged(run, changes),
  }
  return ok({ to: exit.to, entries: [...exit.entries, note] })
}

/**
 * What a session begins with that has these values: the `sessionState` and the events of its first
 * change. Who asks for it decides which properties are open.
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
  const may = fitting(values, declaration.properties)
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

/** Names of the properties that an agent's files declare; `undefined` where they declare none. */
export const statePropertiesOf = (bundle: AgentBundle): readonly string[] | undefined =>
  declarationOf(bundle)?.properties.map(({ name }) => name)

/** The values that count when a run begins: changes of a run count once it has ended well. */
export const stateValuesOf = ({
  bundle,
  sessionState,
}: Pick<RunContext, 'bundle' | 'sessionState'>): JsonObject =>
  valuesOf(sessionState, declarationOf(bundle)?.properties ?? [])

/** What is wrong with a text with `{{ expressions }}` over the state, seen without any values. */
export const problemsOfText = (bundle: AgentBundle, text: string): readonly string[] =>
  problemsOf(onlyText(text), declarationOf(bundle)?.properties ?? []).map(({ message }) => message)

/**
 * A text with its `{{ expressions }}` filled in, over the values that count, the principal and the
 * time at which the run began; `undefined` where one
 * fails on these values.
 */
export function textOverState(ctx: RunContext, text: string): string | undefined {
  const properties = declarationOf(ctx.bundle)?.properties ?? []
  return evaluate(onlyText(text), properties, inputsOf(ctx, properties)).instructions
}
