import { err, failure, ok, type SessionChange } from '@amodal/sdk'

/** Ends a grant of this conversation: `{ grant: ID }`. The journal keeps who did it, and when. */
export const revokeGrant: SessionChange = ({ grant: id = null }, { grants = [], session }) => {
  const grant = grants.find((one) => one.id === id && one.offer.session === session)
  if (!grant)
    return err(failure('NOT_FOUND', `this conversation has no grant ${JSON.stringify(id)}`))
  const { tool, endpoint } = grant.offer
  return ok({
    text: `The grant for ${endpoint ?? tool} was revoked.`,
    data: { revoked: grant.id },
    sessionState: {},
  })
}
