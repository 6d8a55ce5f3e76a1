import {
  ok,
  sha256,
  type AgentClient,
  type Failure,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { directCall } from '../model-calls/direct-call.ts'
import { readTurn, type Turn } from './read-turn.ts'

/** One call that a request makes in place of a model, in a session of its own. */
export interface RequestedCall {
  readonly tool: string
  readonly args: JsonObject
  /** The message of the session, for people. */
  readonly text: string
  /** The same key is the same call. */
  readonly key: string
  /** Joins the state of the session. */
  readonly sessionState?: JsonObject
}

/** The turn of such a call, once it is over or waits for a person. */
export interface DirectTurn {
  /** The id of the call. */
  readonly call: string
  readonly turn: Turn
}

/**
 * Makes one call without a model, under the same guards, approvals and journal. Sent again with its
 * key, it is the same call, and gives what has become of it.
 *
 * @param plugin the key of the session's state, as that of {@link directCall}
 * @example
 * const called = await callDirectly(agent.as(caller), 'mine', { tool, args, text, key }, signal)
 */
export async function callDirectly(
  client: AgentClient,
  plugin: string,
  { args, key, sessionState, text, tool }: RequestedCall,
  signal: AbortSignal,
): Promise<Result<DirectTurn, Failure>> {
  // Of letters that every provider takes.
  const call = `call_${sha256(key).slice(0, 24)}`
  const state = { ...directCall(plugin, { call, tool, arguments: args }), ...sessionState }
  const sent = await client.send({ text, key, sessionState: state }, signal)
  if (!sent.ok) return sent
  const turn = await readTurn(client, { ...sent.value, key }, () => undefined, signal)
  return turn.ok ? ok({ call, turn: turn.value }) : turn
}
