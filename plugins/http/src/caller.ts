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

/** One tenant, and one for each credential that names its own. */
const NO_TENANCY: Tenancy = {
  callerOf({ principal, roles, tenant = LOCAL_TENANT }, asked) {
    return asked === undefined || asked === tenant
      ? ok({ tenant, principal, roles })
      : err(failure('NOT_FOUND', 'there is no such scope'))
  },
}

/**
 * Who a request acts for. Its scope may stand in the body, in `?scope_id` and in `X-Scope-Id`;
 * where it stands in several places, it must be the same, or a proxy and the agent could each mean
 * another one.
 */
export function callerOf(
  request: Request,
  identity: Identity | undefined,
  inBody: string | null | undefined,
  tenancy: Tenancy = NO_TENANCY,
): Result<Caller, Failure> {
  if (!identity) return err(failure('UNAUTHENTICATED', 'this needs a credential'))
  const places = [
    inBody,
    ...new URL(request.url).searchParams.getAll('scope_id'),
    request.headers.get('x-scope-id'),
  ]
  const [asked, ...others] = new Set(
    places.flatMap((scope) =>
      scope === null || scope === undefined || scope === '' ? [] : [scope],
    ),
  )
  if (others.length > 0)
    return err(
      failure('VALIDATION_ERROR', 'scope_id: body, query and X-Scope-Id name different scopes'),
    )
  if (asked !== undefined && !isId(asked))
    return err(
      failure('VALIDATION_ERROR', 'scope_id: must be 1 to 128 letters, digits or any of . : @ _ -'),
    )
  const caller = tenancy.callerOf(identity, asked)
  const { mayNotDecide } = identity
  return caller.ok && mayNotDecide !== undefined ? ok({ ...caller.value, mayNotDecide }) : caller
}
