// What other plugins may import: the token estimate and the budget table.
export { estimateTokens } from './estimate.ts'
export { budgetOf, sectionText, type Budget, type BudgetPart, type BudgetRow } from './budget.ts'
