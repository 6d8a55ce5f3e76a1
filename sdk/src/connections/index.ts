// What plugins about connections share: which ones an agent has, and names compared as APIs do.
export { isAmbiguousName, nameKey, plainLetters } from '../field-name.ts'
export { brokenConnectionsOf, connectionsOf, isTrusted, unsetOf } from '../ports/connection.ts'
export { apiDocumentsOf, withEndpoints } from '../ports/rest-connection.ts'
export {
  compareTemplates,
  matchTemplate,
  parseTemplate,
  withoutBase,
  type Parameters,
  type Part,
  type Template,
} from './endpoint-template.ts'
export { baseSegments, segmentsOf } from './path-segments.ts'
