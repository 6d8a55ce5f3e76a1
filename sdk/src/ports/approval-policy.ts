import { slot, type Failure, type PendingAsk, type PrincipalId, type Result } from '@amodal/kernel'
import type { PreparedCall } from './tool.ts'

/** Who answers, and `asker`, whose run waits. */
export interface Answerer {
  readonly principal: PrincipalId
  readonly roles: readonly string[]
  readonly asker: PrincipalId
}

/**
 * The rules of approvals. Without a provider they do not expire, and everybody of the tenant may
 * answer.
 */
export interface ApprovalPolicy {
  /** ms until the question expires; `undefined`: never. */
  expiresInMs(call: PreparedCall, level: 'confirm' | 'review'): number | undefined
  /** A failure is shown to the caller. */
  mayAnswer(ask: PendingAsk, who: Answerer): Result<void, Failure>
}
export const ApprovalPolicy = slot.kernel<ApprovalPolicy>('approval-policy')
