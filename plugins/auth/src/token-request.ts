import {
  err,
  failure,
  ok,
  type Caller,
  type Failure,
  type Identity,
  type Result,
} from '@amodal/sdk'
import { z } from 'zod'
import { USUAL_SCOPES, word } from './config.ts'
import type { PersonClaims } from './person-tokens.ts'

/** Minutes for which a token counts at most. */
export const MOST_MINUTES = 24 * 60
const DEFAULT_MINUTES = 15

const text = z.string().regex(/^[^\p{Cc}]{1,200}$/u, 'must be 1 to 200 characters')

/** The body of `POST /auth/tokens`. */
export const TokenRequest = z.strictObject({
  /** The id of the person at the backend. */
  user: text,
  name: text.nullish(),
  roles: z.array(word).nullish(),
  scopes: z.array(word).nullish(),
  /** The only page that may use it, such as `https://app.example.com`. */
  origin: z
    .string()
    .refine((origin) => URL.parse(origin)?.origin === origin, 'must be an origin')
    .nullish(),
  minutes: z.number().int().min(1).max(MOST_MINUTES).nullish(),
  scope_id: z.string().nullish(),
})

export interface TokenPlan {
  readonly claims: PersonClaims
  readonly minutes: number
}

/**
 * What a token says of its person: never more than the credential of the backend may.
 *
 * @returns `FORBIDDEN_SCOPE` for a role or scope that the backend does not have itself
 */
export function planToken(
  request: z.output<typeof TokenRequest>,
  backend: Identity,
  { tenant }: Pick<Caller, 'tenant'>,
): Result<TokenPlan, Failure> {
  const { user, minutes, origin, name } = request
  const roles = request.roles ?? backend.roles.filter((role) => role !== '*')
  const scopes = request.scopes ?? USUAL_SCOPES.filter((scope) => isCovered(scope, backend.scopes))
  const isMore = [
    ...roles.filter((role) => !isCovered(role, backend.roles)),
    ...scopes.filter((scope) => scope === TOKENS_SCOPE || !isCovered(scope, backend.scopes)),
  ]
  if (isMore.length > 0)
    return err(
      failure(
        'FORBIDDEN_SCOPE',
        `a token cannot have what its backend has not: ${isMore.join(', ')}`,
      ),
    )
  return ok({
    minutes: minutes ?? DEFAULT_MINUTES,
    claims: {
      sub: user,
      roles: [...roles],
      scopes: [...scopes],
      ...(backend.tenant !== undefined || backend.choosesTenant === true ? { tenant } : {}),
      ...(typeof name === 'string' && { name }),
      ...(typeof origin === 'string' && { origin }),
      ...(backend.mayNotDecide !== undefined && { undecided: backend.mayNotDecide }),
    },
  })
}

/** The scope of the route: with it, a person could make tokens of others. */
export const TOKENS_SCOPE = 'tokens'

const isCovered = (one: string, all: readonly string[]): boolean =>
  all.includes('*') ? one !== '*' : all.includes(one)
