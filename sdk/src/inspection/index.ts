// Saying what a kernel is made of, and how a value went through its hooks.
export { listHooks } from '../hooks/catalog.ts'
export { toText } from './inspect-text.ts'
export { inspectionOf, type Inspection } from './inspection.ts'
export { toMermaid } from './mermaid.ts'
export { traceValues, type ValueChange } from './trace-values.ts'
