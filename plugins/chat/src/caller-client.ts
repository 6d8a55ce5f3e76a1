import {
  ok,
  type Agent,
  type AgentClient,
  type Caller,
  type Failure,
  type Result,
  type RouteContext,
} from '@amodal/sdk'

/** The caller of a request, and the agent client acting for that caller. */
export interface CallerClient {
  readonly caller: Caller
  readonly client: AgentClient
}

/** Resolves the caller of a request. @param scope the `scope_id` of the body, where it has one */
export type CallerClients = (
  context: RouteContext,
  scope?: string | null,
) => Result<CallerClient, Failure>

export const callerClientsOf =
  (agent: Agent): CallerClients =>
  (context, scope) => {
    const caller = context.caller(scope)
    return caller.ok ? ok({ caller: caller.value, client: agent.as(caller.value) }) : caller
  }
