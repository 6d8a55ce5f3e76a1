import { registry, type Failure, type Json, type JsonObject, type Result } from '@amodal/kernel'
import type { AgentEvent } from '../agent-event.ts'
import type { RunContext } from './run-context.ts'

/** The result of a change: committed at once, and emitted to readers. */
export interface SessionChanged {
  /** For people who read the journal. */
  readonly text: string
  /** What the caller is answered. */
  readonly data: Json
  /** Joins `ctx.sessionState`, key by key. */
  readonly sessionState: JsonObject
  readonly events?: readonly AgentEvent[]
}

/**
 * Changes what a plugin keeps for a session, between two turns and without a model. It is called
 * where the session is owned, so that nothing else changes meanwhile; a failure changes nothing.
 *
 * @example
 * add(SessionChanges, 'notepad', (change, ctx) =>
 *   ok({ text: 'A note was kept.', data: {}, sessionState: { notepad: change } }))
 */
export type SessionChange = (
  change: JsonObject,
  ctx: RunContext,
) => Result<SessionChanged, Failure> | Promise<Result<SessionChanged, Failure>>

/** By the name of the plugin that `AgentClient.change` is called with. */
export const SessionChanges = registry<SessionChange>('session-changes')
