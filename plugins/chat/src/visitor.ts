import {
  ok,
  type Agent,
  type AgentFace,
  type Caller,
  type Failure,
  type Result,
  type RouteContext,
} from '@amodal/sdk'

/** Whoever asks, and the agent as they see it. */
export interface Visitor {
  readonly caller: Caller
  readonly face: AgentFace
}

/** Finds out who asks. @param scope the `scope_id` of the body, where it has one */
export type Visitors = (context: RouteContext, scope?: string | null) => Result<Visitor, Failure>

export const visitorsOf =
  (agent: Agent): Visitors =>
  (context, scope) => {
    const caller = context.caller(scope)
    return caller.ok ? ok({ caller: caller.value, face: agent.as(caller.value) }) : caller
  }
