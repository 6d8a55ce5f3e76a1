import {
  registry,
  type Failure,
  type JsonObject,
  type Note,
  type Result,
  type SharedValue,
} from '@amodal/kernel'
import type { AgentBundle } from './bundle.ts'
import type { RunContext } from './run-context.ts'

/**
 * State that all sessions of a tenant share. Each session has copies in its own state, under keys
 * that begin with `SHARED_STATE`: each message begins with those of that moment, and a note with
 * such a key changes the value, in its commit.
 */
export interface SharedState {
  /** Names of the values that sessions of this agent have copies of. */
  names(bundle: AgentBundle): readonly string[]
  /**
   * A note made anew over what the values are now, where one has changed since this session had its
   * copy: all that both have done counts, or the note is refused.
   *
   * @returns `undefined` where the note is another plugin's
   */
  rebase(
    note: Note,
    now: readonly SharedValue[],
    ctx: RunContext,
  ): Result<Note, Failure> | undefined
}

/** Shared values as a session keeps its copies. */
export const copiesOf = (values: readonly SharedValue[], prefix: string): JsonObject =>
  Object.fromEntries(values.map(({ name, version, value }) => [prefix + name, [version, value]]))

/** By the name of the plugin. */
export const SharedStates = registry<SharedState>('shared-states')
