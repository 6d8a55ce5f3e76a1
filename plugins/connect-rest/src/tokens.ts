// What other plugins and tests may use: how requests are read before they are judged.
export { REQUEST } from './request-tool.ts'
export { bodyReadings } from './payload.ts'
export { actionOf, httpMethodOf, type ActionConnection } from './action.ts'
export { canonicalTarget, encodePath, readingsOf } from './canonical.ts'
export { operationsIn, readOperations, type GraphqlOperation } from './graphql-operations.ts'
export type { Selection } from './graphql-selection.ts'
