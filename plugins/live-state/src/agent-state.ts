import {
  err,
  ok,
  type Failure,
  type Json,
  type JsonObject,
  type Note,
  type Result,
  type RunContext,
  type SessionStore,
  type SharedValue,
  type TenantId,
} from '@amodal/sdk'
import { copiesOf, SHARED_STATE, type SharedState } from '@amodal/sdk/loop'
import { declarationOf, type Declaration, type StateProperty } from './declaration.ts'
import { StateConflict } from './errors.ts'
import { valuesOf } from './stored-state.ts'
import { merged } from './merge.ts'
import { misfitOf } from './schema.ts'
import { changeOf } from './turn-end.ts'

/** What a run is about to commit. */
export interface Pending {
  /** The session's state before it, with its copies of the agent's. */
  readonly sessionState: JsonObject
  readonly changes: JsonObject
  /** The version that a client has seen: then nothing may have changed meanwhile. */
  readonly base?: string
  /** Of a client's write: what it is answered. */
  readonly answer?: (sessionState: JsonObject) => Json
}

export const sharedProperties = ({ properties }: Declaration): readonly StateProperty[] =>
  properties.filter(({ scope }) => scope === 'agent')

/** Fields of the state that belong to the agent: every session has copies of them. */
export class AgentState implements SharedState {
  readonly #pending = new WeakMap<RunContext, Pending>()

  names(bundle: RunContext['bundle']): readonly string[] {
    const declaration = declarationOf(bundle)
    return declaration ? sharedProperties(declaration).map(({ name }) => name) : []
  }

  /** Remembers what a note is made of, until it is committed. */
  prepare(ctx: RunContext, pending: Pending): void {
    this.#pending.set(ctx, pending)
  }

  rebase(
    note: Note,
    now: readonly SharedValue[],
    ctx: RunContext,
  ): Result<Note, Failure> | undefined {
    const pending = this.#pending.get(ctx)
    const declaration = declarationOf(ctx.bundle)
    if (!pending || !declaration) return undefined
    if (pending.base !== undefined)
      return err(StateConflict('the state of the agent has changed while this was written'))
    const sessionState = { ...pending.sessionState, ...copiesOf(now, SHARED_STATE) }
    const changes = over(pending, sessionState, declaration)
    if (!changes.ok) return changes
    const change = changeOf(sessionState, declaration, changes.value)
    // The next who comes in between is met from here.
    this.#pending.set(ctx, { ...pending, sessionState, changes: changes.value })
    const after = { ...sessionState, ...change?.sessionState }
    const { v, kind, run, at, code, data } = note
    return ok({
      v,
      kind,
      run,
      at,
      code,
      text: change?.text ?? 'Others have made the same changes of the state.',
      ...(data !== undefined && { data: answered(data, pending.answer?.(after)) }),
      ...(change && { session_state: change.sessionState }),
      ...(change && change.events.length > 0 && { events: change.events }),
    })
  }
}

/** The changes, over what others have made of the agent's properties meanwhile. */
function over(
  { sessionState, changes, answer }: Pending,
  now: JsonObject,
  { properties }: Declaration,
): Result<JsonObject, Failure> {
  const made: Record<string, Json> = { ...changes }
  const [before, theirs] = [valuesOf(sessionState, properties), valuesOf(now, properties)]
  for (const property of properties) {
    const { name, scope, schema } = property
    const mine = changes[name]
    // A client that writes whatever the version is says what the value shall be.
    if (mine === undefined || scope !== 'agent' || answer) continue
    const value = merged(before[name] ?? null, mine, theirs[name] ?? null)
    const misfit = value === undefined ? undefined : misfitOf(schema, value)
    if (value === undefined || misfit !== undefined)
      return err(
        StateConflict(
          `state.${name}: another session has changed it meanwhile, and ${misfit === undefined ? 'only one of the two can count' : `together it ${misfit}`}`,
        ),
      )
    made[name] = value
  }
  return ok(made)
}

const answered = (data: Json, answer: Json | undefined): Json =>
  answer === undefined || typeof data !== 'object' || data === null || Array.isArray(data)
    ? data
    : { ...data, answer }

/** A session's state with the copies that a message would begin with now. */
export async function withShared(
  sessionState: JsonObject,
  { store, tenant, declaration }: SharedParts,
  signal: AbortSignal,
): Promise<Result<JsonObject, Failure>> {
  if (sharedProperties(declaration).length === 0) return ok(sessionState)
  const read = await store.shared(tenant, signal)
  return read.ok ? ok({ ...sessionState, ...copiesOf(read.value, SHARED_STATE) }) : read
}

export interface SharedParts {
  readonly store: SessionStore
  readonly tenant: TenantId
  readonly declaration: Declaration
}
