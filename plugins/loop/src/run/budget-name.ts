/** The budgets that a person can extend, by their name in questions. */
export const BUDGETS = [
  'session_tokens',
  'run_tokens',
  'session_cost',
  'run_cost',
  'tool_calls',
  'session_tool_calls',
] as const
export type BudgetName = (typeof BUDGETS)[number]

/** The name of each budget in the manifest, in sentences, and in answers. */
export const BUDGET_NAMES: Readonly<
  Record<BudgetName, { readonly limit: string; readonly unit: string; readonly field: string }>
> = {
  session_tokens: {
    limit: 'maxSessionTokens',
    unit: 'tokens of the session',
    field: 'additional_tokens',
  },
  run_tokens: { limit: 'maxRunTokens', unit: 'tokens of the run', field: 'additional_tokens' },
  session_cost: {
    limit: 'maxSessionCost',
    unit: 'dollars of the session',
    field: 'additional_cost',
  },
  run_cost: { limit: 'maxRunCost', unit: 'dollars of the run', field: 'additional_cost' },
  tool_calls: { limit: 'maxToolCalls', unit: 'run', field: 'additional_tool_calls' },
  session_tool_calls: {
    limit: 'maxSessionToolCalls',
    unit: 'session',
    field: 'additional_tool_calls',
  },
}

export const isCalls = (name: BudgetName): boolean =>
  name === 'tool_calls' || name === 'session_tool_calls'
export const isCost = (name: BudgetName): boolean => name === 'session_cost' || name === 'run_cost'
