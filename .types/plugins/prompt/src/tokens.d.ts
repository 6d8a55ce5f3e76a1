export { estimateTokens } from './estimate.ts';
export { budgetOf, sectionText, type Budget, type BudgetPart, type BudgetRow } from './budget.ts';
