import { type JsonObject, NANO } from '@amodal/sdk'
import { BUDGET_NAMES, type BudgetName, BUDGETS, isCalls, isCost } from './budget-name.ts'

/** The state of one budget, in tokens, billionths of a dollar, or calls. */
export interface BudgetLine {
  readonly name: BudgetName
  readonly limit: number
  readonly used: number
}

/** A budget that is too small for the next call. */
export interface Shortfall extends BudgetLine {
  readonly needs: number
}

const shown = (name: BudgetName, amount: number): number => (isCost(name) ? amount / NANO : amount)

export function messageOf({ name, limit, used, needs }: Shortfall): string {
  const { limit: field, unit } = BUDGET_NAMES[name]
  const of = (amount: number): string =>
    String(Number(shown(name, Math.max(0, amount)).toPrecision(6)))
  if (isCalls(name))
    return `the ${unit} asked for more than ${of(limit)} tool calls (\`limits.${field}\`)`
  return `the next model call may take ${of(needs)}, and ${of(limit - used)} of ${of(limit)} ${unit} are left (\`limits.${field}\`)`
}

/**
 * The question to a person when a budget is used up. `continue` without a number adds a quarter of
 * the limit, and at least what the next call needs.
 */
export function extension(short: Shortfall): {
  readonly schema: JsonObject
  readonly context: JsonObject
} {
  const { name, limit, used, needs } = short
  const { field } = BUDGET_NAMES[name]
  const additional = Math.ceil(Math.max(limit / 4, used + needs - limit))
  const amount = isCost(name) ? { type: 'number', minimum: 0 } : { type: 'integer', minimum: 1 }
  return {
    schema: {
      type: 'object',
      properties: { action: { enum: ['continue', 'finish'] }, [field]: amount },
      required: ['action'],
      additionalProperties: false,
    },
    context: {
      reason: `max_${name}`,
      limit: shown(name, limit),
      used: shown(name, used),
      [field]: shown(name, additional),
      message: messageOf(short),
    },
  }
}

/** The budget that an answer extends, and by how much; `context` is that of the question. */
export function grantIn(
  context: JsonObject,
  answer: JsonObject,
): readonly [BudgetName, number] | undefined {
  const name = BUDGETS.find((one) => context['reason'] === `max_${one}`)
  if (name === undefined || answer['action'] !== 'continue') return undefined
  const { field } = BUDGET_NAMES[name]
  const amount = answer[field] ?? context[field]
  const more = typeof amount === 'number' ? amount : 0
  if (isCost(name)) return [name, Math.round(more * NANO)]
  // Refused calls are counted as used, so the extension is added on top of them.
  const { used, limit } = context
  return [
    name,
    isCalls(name) && typeof used === 'number' && typeof limit === 'number'
      ? more + used - limit
      : more,
  ]
}
