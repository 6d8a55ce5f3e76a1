// JSON with all of its digits, and texts that are cut between characters: what passes data on.
export { isExact } from '@amodal/kernel'
export {
  ExactNumber,
  parseExact,
  quoteNumbers,
  repairEscapes,
  reviveNumbers,
  unquoteNumbers,
} from './exact-number.ts'
export { copyJson, isNumber, withDigits, withDoubles } from '../json.ts'
export { jsonNumber, jsonValue } from '../json-value.ts'
export { isStorable, NOT_STORABLE } from './storable.ts'
export { growingWithoutControls, withoutControls } from '../terminal-text.ts'
export { ellipsis, textEnd, textStart } from '../truncate.ts'
export { parseTraceparent, type Traceparent } from './traceparent.ts'
