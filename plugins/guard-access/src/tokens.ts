// What other plugins may import: what the rules of a connection allow, for people who compare them,
// and connections without those whose rules are not in order.
export { withoutInvalidRules } from './check-rules.ts'
export { accessOf, namedOperations, type Operation, type OperationAccess } from './operations.ts'
