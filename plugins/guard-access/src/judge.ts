import type { AccessRule, AccessRules, AccessTier, Action, Connection } from '@amodal/sdk'
import { readBody } from './body.ts'
import { type Bulk, bulkOf } from './bulk.ts'
import { type Case, casesOf, isRead } from './cases.ts'
import { RuleBook } from './rules.ts'
import { baseSegments } from '@amodal/sdk/connections'
import { reasonToRaise } from './threshold.ts'
import { isStricter, stricter } from './tier.ts'

/** What a call may do, and why. */
export interface Judgement {
  readonly tier: AccessTier
  /** For the person who decides. */
  readonly reasons: readonly string[]
  /** This request was judged stricter than its rule, by a threshold, bulk or delegation. */
  readonly escalated: boolean
  readonly rule?: AccessRule
  readonly bulk?: Bulk
  /** The caller is told that there is no such endpoint. */
  readonly hidden?: true
}

/** Facts about the call. `declared`: the tier of the tool, used if its connection has no rules. */
export interface Facts {
  readonly delegated: boolean
  /** ms since a person's work was handed to the sub-agent that asks. */
  readonly delegatedMs?: number
  readonly declared: AccessTier
  /** What the caller says that it means to do. */
  readonly intent?: string
}

const DAY_MS = 86_400_000

type Finding = Omit<Judgement, 'bulk'>

/** Judges actions by the rules of connections, which it compiles once for each. */
export class Judge {
  readonly #books = new WeakMap<AccessRules, Map<string, RuleBook>>()

  /**
   * Evaluates rule, thresholds, bulk and delegation, in this order. If a request has several
   * interpretations, each is judged in full and the strictest verdict counts.
   *
   * @example
   * judge.judge(connection, action, { delegated: false, declared: 'allow' }).tier // 'confirm'
   */
  judge(
    connection: Connection,
    action: Action,
    { delegated, delegatedMs, declared, intent }: Facts,
  ): Judgement {
    const { access } = connection
    const base = action.base ?? URL.parse(connection.rest?.baseUrl ?? '')?.pathname ?? ''
    const cases = casesOf(this.#book(access, base), action, base)
    // Without an access.json the tools of an MCP server say themselves what they need.
    const found =
      connection.protocol === 'mcp' && !connection.accessGiven
        ? [plainly(declared, 'the tool asks before it runs')]
        : cases.map((one) => weigh(one, access, intent))
    let finding = strictest(found)
    const writing = cases.filter(({ write }) => write)
    const writes = writing.length > 0
    const bulk = writes
      ? [readBody(action.body), ...writing.map(({ body }) => body)]
          .map(bulkOf)
          .find((one) => one !== undefined)
      : undefined
    if (bulk) finding = raised(finding, 'review', `it changes ${bulk.count} items at once`)
    const { enabled, maxDurationDays, escalateConfirm } = access.delegations
    if (delegated && writes && !enabled)
      finding = raised(finding, 'never', 'nobody may delegate writes of this connection')
    const over =
      maxDurationDays !== undefined && delegated && (delegatedMs ?? 0) > maxDurationDays * DAY_MS
    if (over && writes)
      finding = raised(
        finding,
        'never',
        `this was delegated more than ${maxDurationDays} days ago: ask for it anew`,
      )
    if (delegated && finding.tier === 'confirm' && escalateConfirm)
      finding = raised(finding, 'review', 'a sub-agent asks for it')
    return bulk ? { ...finding, bulk } : finding
  }

  /**
   * Whether every rule for an action, in each interpretation, has `"taint": "ignore"`.
   */
  ignoresTaint({ access, rest }: Connection, action: Action): boolean {
    if (!access.rules.some(({ taint }) => taint === 'ignore')) return false
    const base = action.base ?? URL.parse(rest?.baseUrl ?? '')?.pathname ?? ''
    const cases = casesOf(this.#book(access, base), action, base)
    return cases.every(
      ({ covering }) =>
        covering.length > 0 && covering.every(({ rule }) => rule.taint === 'ignore'),
    )
  }

  #book(access: AccessRules, base: string): RuleBook {
    const books = this.#books.get(access) ?? new Map<string, RuleBook>()
    this.#books.set(access, books)
    const book = books.get(base) ?? new RuleBook(access.rules, baseSegments(base))
    books.set(base, book)
    return book
  }
}

/** Rule, then thresholds; without a rule, the default for unlisted actions. */
function weigh(
  { action, name, covering, write, body }: Case,
  access: AccessRules,
  intent: string | undefined,
): Finding {
  const { query, headers } = action
  const findings = covering.map(({ rule, parameters }): Finding => {
    const given = withIntent(
      {
        tier: rule.tier,
        rule,
        escalated: false,
        reasons: [`${name}: ${rule.reason ?? WORDS[rule.tier]}`],
        ...(rule.hidden && { hidden: true as const }),
      },
      rule,
      name,
      write,
      intent,
    )
    return rule.thresholds.reduce((found, threshold) => {
      const why = isStricter(threshold.escalate, found.tier)
        ? reasonToRaise(threshold, { query, headers, body, path: parameters })
        : undefined
      return why === undefined ? found : raised(found, threshold.escalate, why)
    }, given)
  })
  const found =
    findings.length > 0
      ? strictest(findings)
      : unlisted(access.fallback, write ? 'write' : 'read', name)
  return write && isRead(action)
    ? raised(found, 'confirm', 'a read that carries a body may change something')
    : found
}

/** The default for unlisted actions. */
function unlisted(
  { hidden = [], ...tiers }: AccessRules['fallback'],
  kind: 'read' | 'write',
  name: string,
): Finding {
  return {
    ...plainly(tiers[kind], `${name}: no rule names it`),
    ...(hidden.includes(kind) && { hidden: true as const }),
  }
}

/**
 * A caller has to declare what the rule wants declared. What it declares makes nothing less strict.
 */
function withIntent(
  finding: Finding,
  { intent: wanted }: AccessRule,
  name: string,
  write: boolean,
  said: string | undefined,
): Finding {
  if (wanted === undefined) return finding
  switch (wanted) {
    case 'read':
      return write ? raised(finding, 'never', `${name} is there for reading only`) : finding
    case 'write':
      return said === 'write' || said === 'confirmed_write'
        ? finding
        : raised(finding, 'never', `${name} has to be asked for with \`intent\`: "write"`)
    case 'confirmed_write':
      return said === 'confirmed_write'
        ? raised(finding, 'confirm', `${name} is confirmed by a person`)
        : raised(finding, 'never', `${name} has to be asked for with \`intent\`: "confirmed_write"`)
  }
}

const WORDS: Readonly<Record<AccessTier, string>> = {
  allow: 'it is allowed',
  confirm: 'it asks before it runs',
  review: 'it is reviewed before it runs',
  never: 'it is not allowed',
}
/** The first of the strictest findings; hidden is stricter than any tier. */
const strictest = (found: readonly Finding[]): Finding =>
  found.reduce((most, one) =>
    isStricter(one.tier, most.tier) ||
    (one.tier === most.tier && one.hidden === true && most.hidden !== true)
      ? one
      : most,
  )
const plainly = (tier: AccessTier, reason: string): Finding => ({
  tier,
  reasons: [reason],
  escalated: false,
})

function raised(finding: Finding, to: AccessTier, why: string): Finding {
  const tier = stricter(finding.tier, to)
  return tier === finding.tier
    ? finding
    : { ...finding, tier, escalated: true, reasons: [...finding.reasons, why] }
}
