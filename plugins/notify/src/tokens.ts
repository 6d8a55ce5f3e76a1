// What other plugins may import: a way to tell whoever runs the agent.
import {
  slot,
  type AgentBundle,
  type Failure,
  type JsonObject,
  type Result,
  type TenantId,
} from '@amodal/sdk'

/** What is sent to where `notify` of `amodal.json` says. */
export interface OperatorNotice {
  /** Such as `usage.budget`. */
  readonly type: string
  /** For a person, in one or two sentences. */
  readonly message: string
  /** For a program. */
  readonly data: JsonObject
}

export interface Notices {
  /** Whether the agent says where notices go. */
  hasTarget(bundle: AgentBundle | undefined): boolean
  /**
   * Queues a notice. It outlives the process where the queue does, and is tried again for more than
   * a day.
   *
   * @param key of which one notice is sent at a time, such as `budget:NAME:2026-11:80`
   */
  send(
    key: string,
    tenant: TenantId,
    notice: OperatorNotice,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>>
}
export const Notices = slot.kernel<Notices>('notices')
