// Documents of stores: how values compare, what a filter means, when one expires.

export {
  comparable,
  compareValues,
  keyOf,
  matchesFilter,
  storeField,
  ttlOf,
  valueAt,
  type StorePlace,
} from './store-documents.ts'
export { grantedStoreTool, STORE_VERBS, storeTools, type StoreVerb } from './tool-names.ts'
