import type { RunContext } from '@amodal/sdk'
import type { ApprovalGrant, GrantOffer } from '@amodal/sdk/loop'

const FIELDS = ['tool', 'endpoint', 'connection', 'definition', 'session'] as const

/** The grant of this conversation that covers a call: all that its offer says has to match. */
export const grantFor = (
  offer: GrantOffer,
  { grants = [] }: Pick<RunContext, 'grants'>,
): ApprovalGrant | undefined =>
  grants.find((grant) => FIELDS.every((field) => grant.offer[field] === offer[field]))
