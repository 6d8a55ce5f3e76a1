export { bodyReadings } from './payload.ts';
export { actionOf, httpMethodOf, type ActionConnection } from './action.ts';
export { canonicalTarget, encodePath, readingsOf } from './canonical.ts';
export { readOperations, type GraphqlOperation } from './graphql-operations.ts';
