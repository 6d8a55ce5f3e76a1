import type { AccessRule, AccessRules, AccessTier, Action, Connection } from '@amodal/sdk'
import { readBody } from './body.ts'
import { type Bulk, bulkOf } from './bulk.ts'
import { type Case, casesOf, isRead } from './cases.ts'
import { RuleBook } from './rules.ts'
import { baseSegments } from './segments.ts'
import { reached } from './threshold.ts'
import { isStricter, stricter } from './tier.ts'

/** What a call may do, and why. */
export interface Judgement {
  readonly tier: AccessTier
  /** For the person who decides. */
  readonly reasons: readonly string[]
  /** Something about this very request made it stricter than its rule. */
  readonly escalated: boolean
  readonly rule?: AccessRule
  readonly bulk?: Bulk
}

/** Who asks. `declared`: what the tool itself asks for, where its connection has no rules. */
export interface Facts { readonly delegated: boolean; readonly declared: AccessTier }

type Finding = Omit<Judgement, 'bulk'>

/** Rules are made ready once for each connection that was read. */
export class Judge {
  readonly #books = new WeakMap<AccessRules, Map<string, RuleBook>>()

  /**
   * What `access.json` says of an action: rule, thresholds, bulk, delegation, in this order. Where a request can be read in
   * several ways, each is judged in full, and the strictest counts.
   *
   * @example judge.judge(connection, action, { delegated: false, declared: 'allow' }).tier // 'confirm'
   */
  judge(connection: Connection, action: Action, { delegated, declared }: Facts): Judgement {
    const { access } = connection
    const base = action.base ?? URL.parse(connection.rest?.baseUrl ?? '')?.pathname ?? ''
    const cases = casesOf(this.#book(connection, base), action, base)
    // Without an access.json the tools of an MCP server say themselves what they need.
    const found = connection.protocol === 'mcp' && !connection.accessGiven ? [plainly(declared, 'the tool asks before it runs')] : cases.map((one) => weigh(one, access))
    let finding = strictest(found)
    const writing = cases.filter(({ write }) => write)
    const writes = writing.length > 0
    const bulk = writes ? [readBody(action.body), ...writing.map(({ body }) => body)].map(bulkOf).find((one) => one !== undefined) : undefined
    if (bulk) finding = raised(finding, 'review', `it changes ${bulk.count} items at once`)
    if (delegated && writes && !access.delegations.enabled) finding = raised(finding, 'never', 'nobody may delegate writes of this connection')
    if (delegated && finding.tier === 'confirm' && access.delegations.escalateConfirm) finding = raised(finding, 'review', 'a sub-agent asks for it')
    return bulk ? { ...finding, bulk } : finding
  }

  #book({ access }: Connection, base: string): RuleBook {
    const books = this.#books.get(access) ?? new Map<string, RuleBook>()
    this.#books.set(access, books)
    const book = books.get(base) ?? new RuleBook(access.rules, baseSegments(base))
    books.set(base, book)
    return book
  }
}

/** Rule, then thresholds; without a rule, what stands for all that is not listed. */
function weigh({ action, name, covering, write, body }: Case, access: AccessRules): Finding {
  const { query, headers } = action
  const findings = covering.map(({ rule, parameters }): Finding => {
    const given: Finding = { tier: rule.tier, rule, escalated: false, reasons: [`${name}: ${rule.reason ?? WORDS[rule.tier]}`] }
    return rule.thresholds.reduce((found, threshold) => {
      const why = isStricter(threshold.escalate, found.tier) ? reached(threshold, { query, headers, body, path: parameters }) : undefined
      return why === undefined ? found : raised(found, threshold.escalate, why)
    }, given)
  })
  const found = findings.length > 0 ? strictest(findings) : plainly(write ? access.fallback.write : access.fallback.read, `${name}: no rule names it`)
  return write && isRead(action) ? raised(found, 'confirm', 'a read that carries a body may change something') : found
}

const WORDS: Readonly<Record<AccessTier, string>> = { allow: 'it is allowed', confirm: 'it asks before it runs', review: 'it is reviewed before it runs', never: 'it is not allowed' }
/** The first of the strictest. */
const strictest = (found: readonly Finding[]): Finding => found.reduce((most, one) => (isStricter(one.tier, most.tier) ? one : most))
const plainly = (tier: AccessTier, reason: string): Finding => ({ tier, reasons: [reason], escalated: false })

function raised(finding: Finding, to: AccessTier, why: string): Finding {
  const tier = stricter(finding.tier, to)
  return tier === finding.tier ? finding : { ...finding, tier, escalated: true, reasons: [...finding.reasons, why] }
}
