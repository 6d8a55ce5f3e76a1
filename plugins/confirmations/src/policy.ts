import { type Answerer, type ApprovalPolicy, err, failure, ok } from '@amodal/sdk'

const MINUTE = 60_000

export interface ApprovalRules {
  readonly expiresMinutes: number
  readonly answeredBy: readonly string[]
  readonly reviewedBy?: readonly string[] | undefined
  /** Whether somebody counts as the asker, though they are not. */
  readonly standsIn?: (answerer: Answerer) => boolean
}

/**
 * The rules as the loop asks for them. A caller who may not answer gets the same failure as for a
 * question that does not exist.
 */
export function approvalPolicy({
  expiresMinutes,
  answeredBy,
  reviewedBy = answeredBy,
  standsIn = () => false,
}: ApprovalRules): ApprovalPolicy {
  return {
    expiresInMs: () => (expiresMinutes === 0 ? undefined : expiresMinutes * MINUTE),
    mayAnswer({ id, type, context }, who) {
      const people = type === 'approval' && context['tier'] === 'review' ? reviewedBy : answeredBy
      if (people.some((person) => is(who, person, standsIn))) return ok(undefined)
      return err(failure('ASK_NOT_FOUND', `the question "${id}" is not open`))
    },
  }
}

function is(
  answerer: Answerer,
  person: string,
  standsIn: (answerer: Answerer) => boolean,
): boolean {
  const { principal, asker, roles } = answerer
  switch (person) {
    case 'anyone':
      return true
    case 'asker':
      return principal === asker || standsIn(answerer)
    case 'other':
      return principal !== asker
    default:
      return roles.includes(person)
  }
}
