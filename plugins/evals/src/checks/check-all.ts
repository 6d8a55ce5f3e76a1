import { never } from '@amodal/sdk'
import type { Check, CheckKind, Measure, Observation, ObservedTurn } from '../definition.ts'
import { labelOf, numberText } from './label.ts'
import { checkSchema, checkStore } from './schema-checks.ts'
import { checkContains, checkMatches } from './text-checks.ts'
import {
  checkApprovals,
  checkArguments,
  checkOrder,
  checkTools,
  checkWrites,
} from './tool-checks.ts'
import type { Verdict } from './verdict.ts'

/** What has come of one check. */
export interface CheckResult {
  readonly check: Check
  /** The check as one short text: `max_tokens: 2000`. */
  readonly label: string
  readonly passed: boolean
  /** What was seen: `1,204 of at most 2,000`. */
  readonly reason: string
}

/**
 * Checks what a case came to, without a model. Checks of texts read the text of the last turn as it
 * stands, with its case and its white space. The first `store` check reads `observation.stores[0]`,
 * the second one the next, and so on.
 *
 * @returns a result for each check, in their order
 * @example
 * const [result] = checkAll([{ kind: 'ends', reason: 'model_stop', line: 1 }], observation)
 * result?.passed // true
 */
export function checkAll(
  checks: readonly Check[],
  observation: Observation,
): readonly CheckResult[] {
  let stores = 0
  return checks.map((check) => {
    const store = check.kind === 'store' ? observation.stores[stores++] : undefined
    const verdict = check.kind === 'store' ? checkStore(check, store) : checkOne(check, observation)
    return { check, label: labelOf(check), ...verdict }
  })
}

function checkOne(
  check: Exclude<CheckKind, { readonly kind: 'store' }>,
  observation: Observation,
): Verdict {
  const last = observation.turns.at(-1)
  switch (check.kind) {
    case 'contains':
      return checkContains(check, last)
    case 'matches':
      return checkMatches(check, last)
    case 'json_schema':
      return checkSchema(check, last)
    case 'tools':
      return checkTools(check, observation.calls)
    case 'tool_order':
      return checkOrder(check, observation.calls)
    case 'tool_args':
      return checkArguments(check, observation.calls)
    case 'writes':
      return checkWrites(check, observation.calls)
    case 'approvals':
      return checkApprovals(check, observation.approvals)
    case 'at_most':
      return checkLimit(check.measure, check.limit, observation)
    case 'ends':
      return checkEnd(check.reason, last)
    default:
      return never(check)
  }
}

function checkEnd(reason: string, last: ObservedTurn | undefined): Verdict {
  if (!last) return { passed: false, reason: 'no turn has ended' }
  return { passed: last.reason === reason, reason: `it ended with ${last.reason}` }
}

function checkLimit(measure: Measure, limit: number, observation: Observation): Verdict {
  const used = amountOf(measure, observation)
  if (used === undefined) return { passed: false, reason: 'the price of a model is not known' }
  const mark = measure === 'cost' ? '$' : ''
  const unit = measure === 'seconds' ? ' s' : ''
  const reason = `${mark}${numberText(used)}${unit} of at most ${mark}${numberText(limit)}${unit}`
  return { passed: used <= limit, reason }
}

/** Tokens are those of input and output; calls of tools are also those of sub-agents. */
function amountOf(measure: Measure, observation: Observation): number | undefined {
  const { tokens, cost, seconds, calls, modelCalls } = observation
  switch (measure) {
    case 'tokens':
      return tokens.input + tokens.output
    case 'cost':
      return cost
    case 'seconds':
      return seconds
    case 'tool_calls':
      return calls.length
    case 'model_calls':
      return modelCalls
    default:
      return never(measure)
  }
}
