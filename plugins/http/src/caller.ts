import {
  err,
  failure,
  isId,
  LOCAL_TENANT,
  ok,
  type Caller,
  type Failure,
  type Identity,
  type Result,
  type Tenancy,
} from '@amodal/sdk'

/** Used without a `Tenancy` plugin: the local tenant, or the one that the credential names. */
const NO_TENANCY: Tenancy = {
  callerOf({ principal, roles, tenant = LOCAL_TENANT }, requestedScope) {
    return requestedScope === undefined || requestedScope === tenant
      ? ok({ tenant, principal, roles })
      : err(failure('NOT_FOUND', 'there is no such scope'))
  },
}

/**
 * The caller of a request. `scope_id` names a tenant, and has nothing to do with the scopes of a
 * credential. It may be given in the body, in `?scope_id` and in `X-Scope-Id`;
 * if several are given they must be equal, or a proxy and the agent could act on different ones.
 */
export function callerOf(
  request: Request,
  identity: Identity | undefined,
  bodyScope: string | null | undefined,
  tenancy: Tenancy = NO_TENANCY,
): Result<Caller, Failure> {
  if (!identity) return err(failure('UNAUTHENTICATED', 'this needs a credential'))
  const places = [
    bodyScope,
    ...new URL(request.url).searchParams.getAll('scope_id'),
    request.headers.get('x-scope-id'),
  ]
  const [requestedScope, ...others] = new Set(
    places.flatMap((scope) =>
      scope === null || scope === undefined || scope === '' ? [] : [scope],
    ),
  )
  if (others.length > 0)
    return err(
      failure('VALIDATION_ERROR', 'scope_id: body, query and X-Scope-Id name different scopes'),
    )
  if (requestedScope !== undefined && !isId(requestedScope))
    return err(
      failure('VALIDATION_ERROR', 'scope_id: must be 1 to 128 letters, digits or any of . : @ _ -'),
    )
  const caller = tenancy.callerOf(identity, requestedScope)
  if (!caller.ok) return caller
  const { mayNotDecide, ownSessionsOnly } = identity
  return ok({
    ...caller.value,
    ...(mayNotDecide !== undefined && { mayNotDecide }),
    ...(ownSessionsOnly === true && { ownSessionsOnly }),
  })
}
