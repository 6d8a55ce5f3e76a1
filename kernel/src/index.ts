// Values and errors
export * from './result.ts'
export { deepFreeze } from './plain.ts'
export * from './errors.ts'
export * from './ids.ts'
export * from './time.ts'
export * from './json.ts'
export * from './usage.ts'
export * from './events.ts'

// Plugins: who does it (slot), which ones exist (registry), when it happens (hook)
export * from './token.ts'
export * from './plugin.ts'
export * from './define-plugin.ts'
export * from './define-hook.ts'
export * from './entries.ts'
export type { Teardown } from './blame.ts'
export { ScopeError, type Scope, type Seed, type Seeds } from './container.ts'

// Hooks
export * from './hooks/catalog.ts'
export {
  mapHooks,
  type Callable,
  type CallableOf,
  type Collected,
  type Hooks,
  type HookTable,
  type Wired,
} from './hooks/hooks.ts'
export * from './hooks/spec.ts'
export type { Tap, Tracer } from './hooks/hook.ts'

// Plan and kernel
export type { KernelError, PlanOptions, PlanProblem } from './plan.ts'
export type { Plan, PlanEdge, PlannedPlugin } from './plan.ts'
export { resolvePlan } from './resolve-plan.ts'
export * from './inspector.ts'
export * from './kernel.ts'
export { explain } from './explain.ts'

// Ports: what the kernel asks of others
export * from './ports/log.ts'
export * from './ports/journal-store.ts'
export * from './ports/session.ts'

// Loop and journal
export * from './loop/state.ts'
export type { Progress, TurnContext } from './loop/context.ts'
export * from './journal/entry.ts'
export * from './journal/lease.ts'
export { callStore } from './journal/call-store.ts'
export { clean } from './journal/clean.ts'
export { canonical, hashOf, sha256 } from './journal/hash.ts'
export { readEntries, readEntry } from './journal/upcast.ts'
export { JournalWriter, OUTCOME_SETTLED, SHARED_STATE, type Committed } from './journal/writer.ts'
export { drive, NO_OUTCOME, stage, type DriveOutcome, type Handlers } from './loop/drive.ts'
export { emitted } from './loop/emit.ts'
export { RunScope, SessionScope } from './loop/run-scope.ts'
export {
  Turn,
  type EntryDraft as FactDraft,
  type HistoryProjection,
  type Output,
  type Step,
  type Stop,
  type TurnParts,
} from './loop/turn.ts'
export { withDeadline } from './limit.ts'
