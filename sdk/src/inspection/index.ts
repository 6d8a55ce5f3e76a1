// Saying what a kernel is made of, and how a value went through its hooks.
export { KERNEL_API } from '@amodal/kernel'
export { listHooks } from '../hooks/catalog.ts'
export { toText } from './inspect-text.ts'
export { inspectionOf, type Inspection } from './inspection.ts'
export { toMermaid } from './mermaid.ts'
export { traceValues, type ValueChange } from './trace-values.ts'
export { EventKinds, type EventKind } from '../define-event.ts'
export { agentEventSchemas, runtimeEventSchemas } from './event-schemas.ts'
export { STATUSES } from '../error-status.ts'
export { ErrorKinds, isKnownCode } from '../errors.ts'
export {
  declarationsOf,
  entriesOf,
  routesOf,
  type Declarations,
  type DeclaredRoute,
} from './declarations.ts'
export { manifestFor, type Listed, type PackageManifest } from './plugin-manifest.ts'
export { pluginPage, type PageContext } from './plugin-page.ts'
export { Inventories, type Inventory, type InventoryItem } from '../ports/inventory.ts'
export { DatabaseProbes, InstallationChecks } from '../ports/installation.ts'
