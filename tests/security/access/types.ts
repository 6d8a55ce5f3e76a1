/**
 * What the monitor may say of a request, from the mildest to the strictest. `refused` = it is not
 * well formed and has no tier.
 */
export const TIERS = ['allow', 'confirm', 'review', 'never', 'refused'] as const
export type Tier = (typeof TIERS)[number]

/** Every spelling of a tier that an `access.json` may hold. */
export type TierSpelling = boolean | 'allow' | 'confirm' | 'review' | 'never' | 'deny' | 'hidden'

export interface Threshold {
  /**
   * `body.amount`, `body.items[0].qty`, `body.items[].qty`, `query.limit`, `params.limit`,
   * `path.id`, `headers.x-priority`.
   */
  readonly field: string
  readonly above?: number
  readonly below?: number
  readonly equals?: string | number | boolean
  readonly escalate: TierSpelling
}

export interface Rule {
  readonly confirm?: TierSpelling
  readonly thresholds?: readonly Threshold[]
  readonly reason?: string
  readonly returns?: readonly string[]
}

/** The part of an `access.json` that decides on a tier, and blocks beside it that must not. */
export interface AccessFile {
  readonly endpoints?: Readonly<Record<string, Rule>>
  readonly default?: TierSpelling | { readonly read?: TierSpelling; readonly write?: TierSpelling }
  readonly delegations?: {
    readonly enabled?: boolean
    readonly maxDurationDays?: number
    readonly escalateConfirm?: boolean
  }
  readonly fieldRestrictions?: readonly Readonly<Record<string, unknown>>[]
  readonly rowScoping?: Readonly<Record<string, unknown>>
  readonly alternativeLookups?: readonly Readonly<Record<string, unknown>>[]
}

/** What a model passes to the `request` tool: nothing in it is to be trusted. */
export interface AccessRequest {
  readonly method: string
  /** Relative to the base address, perhaps with a query string. */
  readonly endpoint: string
  /** Sent as query, beside what the endpoint already holds. */
  readonly params?: Readonly<Record<string, unknown>>
  /** Sent as body: a value to be written as JSON, or a string that is sent as it stands. */
  readonly data?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface AccessConnection {
  /** Origin and base path, without a slash at the end. */
  readonly base: string
  readonly access: AccessFile
  /** The header that the connection fills with its credential, where it is not `Authorization`. */
  readonly authHeader?: string
}

export interface AccessFacts {
  /** A sub-agent asks on somebody's behalf. */
  readonly delegated: boolean
  readonly context: Readonly<Record<string, string>>
}

/** The numbers of the rules in README.md. */
export const RULES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const
export type RuleNumber = (typeof RULES)[number]

export interface AccessCase {
  readonly id: string
  /** The rule in README.md that decides. */
  readonly rule: RuleNumber
  readonly group: string
  readonly base: string
  readonly authHeader?: string
  readonly access: AccessFile
  readonly request: AccessRequest
  readonly delegated?: boolean
  readonly context?: Readonly<Record<string, string>>
  readonly tier: Tier
  /** A stricter answer is right, too: the request has no honest use. */
  readonly orStricter?: boolean
  readonly because: string
}

/**
 * The decision under test.
 *
 * @param connection where the request goes, and the rules that stand there
 * @param request what was asked for, unchanged
 * @param facts who asks
 * @returns the tier, or `refused`
 * @example
 * const classify: Classify = (connection, request, facts) =>
 *   guardOf(connection).decide(request, facts).tier
 */
export type Classify = (
  connection: AccessConnection,
  request: AccessRequest,
  facts: AccessFacts,
) => Tier

/**
 * Puts a case to a decision and says whether the answer is right.
 *
 * @param one the case
 * @param classify the decision under test
 * @returns `right`; `under` where it was milder than it had to be; `over` where it asks for more
 *   than the rules do
 * @example expect(judge(one, classify).verdict).toBe('right')
 */
export function judge(
  one: AccessCase,
  classify: Classify,
): { readonly verdict: 'right' | 'under' | 'over'; readonly answer: Tier } {
  const { base, access, authHeader, request, delegated = false, context = {} } = one
  const answer = classify(
    { base, access, ...(authHeader !== undefined && { authHeader }) },
    request,
    { delegated, context },
  )
  const distance = TIERS.indexOf(answer) - TIERS.indexOf(one.tier)
  if (distance < 0) return { verdict: 'under', answer }
  return { verdict: distance === 0 || one.orStricter === true ? 'right' : 'over', answer }
}
