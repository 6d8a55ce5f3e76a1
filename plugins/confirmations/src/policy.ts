import { type Answerer, type ApprovalPolicy, err, failure, ok } from '@amodal/sdk'

const MINUTE = 60_000

export interface ApprovalRules {
  readonly expiresMinutes: number
  readonly answeredBy: readonly string[]
  readonly reviewedBy?: readonly string[] | undefined
}

/**
 * The rules as the loop asks for them. A caller who may not answer gets the same failure as for a
 * question that does not exist.
 */
export function approvalPolicy({
  expiresMinutes,
  answeredBy,
  reviewedBy = answeredBy,
}: ApprovalRules): ApprovalPolicy {
  return {
    expiresInMs: () => (expiresMinutes === 0 ? undefined : expiresMinutes * MINUTE),
    mayAnswer({ id, type, context }, who) {
      const people = type === 'approval' && context['tier'] === 'review' ? reviewedBy : answeredBy
      if (people.some((person) => is(who, person))) return ok(undefined)
      return err(failure('ASK_NOT_FOUND', `the question "${id}" is not open`, { status: 404 }))
    },
  }
}

function is({ principal, asker, roles }: Answerer, person: string): boolean {
  switch (person) {
    case 'anyone':
      return true
    case 'asker':
      return principal === asker
    case 'other':
      return principal !== asker
    default:
      return roles.includes(person)
  }
}
