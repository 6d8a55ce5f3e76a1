// What other plugins may use: one way to count, and the table that everyone shows.
export { estimateTokens } from './estimate.ts'
export { budgetOf, sectionText, type Budget, type BudgetPart, type BudgetRow } from './budget.ts'
