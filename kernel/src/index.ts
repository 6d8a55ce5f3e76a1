// Values and errors
export * from './result.ts'
export * from './errors.ts'
export * from './ids.ts'
export * from './time.ts'
export * from './messages.ts'
export * from './events.ts'

// Plugins: who does it (slot), which ones exist (registry), when it happens (hook)
export * from './token.ts'
export * from './plugin.ts'
export type { Teardown } from './blame.ts'
export { ScopeError, type Scope, type Seed, type Seeds } from './container.ts'

// Hooks
export * from './hooks/catalog.ts'
export type { Callable, CallableOf, Collected, Hooks } from './hooks/hooks.ts'
export * from './hooks/spec.ts'
export type { Tap, Tracer } from './hooks/hook.ts'

// Plan and kernel
export { resolvePlan, type KernelError, type MustTap, type Plan, type PlanEdge, type PlannedPlugin, type PlanOptions, type PlanProblem } from './plan.ts'
export * from './kernel.ts'
export type { Generation } from './generation.ts'

// Ports: what the loop needs, and who fills it
export * from './ports/ask.ts'
export * from './ports/bundle.ts'
export * from './ports/dispatch.ts'
export * from './ports/inspector.ts'
export * from './ports/log.ts'
export * from './ports/model.ts'
export * from './ports/prompt.ts'
export * from './ports/routes.ts'
export * from './ports/sealer.ts'
export * from './ports/session-store.ts'
export * from './ports/session.ts'
export * from './ports/tool.ts'

// Loop and journal
export * from './loop/state.ts'
export type { RunContext } from './loop/context.ts'
export * from './journal/entry.ts'
export * from './journal/lease.ts'
export { askStore, within } from './journal/ask-store.ts'
export { canonical, clean, hashOf, sha256 } from './journal/hash.ts'
export { readEntries, readEntry } from './journal/upcast.ts'
export { JournalWriter, type Committed } from './journal/writer.ts'
export { drive, NO_OUTCOME, stage, type Driven, type Handlers } from './loop/run.ts'
export { emitted } from './loop/emit.ts'
export { RunScope } from './loop/run-scope.ts'
export { Turn, type FactDraft, type Fold, type Output, type Prepared, type Step, type Stop, type TurnParts } from './loop/turn.ts'
export { withDeadline } from './limit.ts'
