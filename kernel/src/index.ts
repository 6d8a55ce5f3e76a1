// Values and errors
export * from './result.ts'
export * from './errors.ts'
export * from './ids.ts'
export * from './time.ts'
export * from './messages.ts'
export * from './events.ts'

// Plugins: who does it (slot), which ones exist (registry), when it happens (hook)
export { slot, registry, type Slot, type Registry, type Token, type ScopeKind } from './token.ts'
export {
  definePlugin, isPlugin, use, replace, without, KERNEL_API,
  type Plugin, type PluginDefinition, type SetupApi, type Entry, type UseOptions, type Teardown, type Tokens, type Env, type ReloadMode, type Deps, type OptionalDeps, type ValueOf,
} from './plugin.ts'
export { ScopeError, type Scope, type Seed, type Seeds } from './container.ts'

// Hooks
export { HOOKS, GUARD_HOOKS, type HookName, type Exit } from './hooks/catalog.ts'
export { STAGES, type Stage } from './hooks/stage.ts'
export { defineHook, type Hooks, type HookTaps, type HookToken, type Tappable, type TapOptions, type Callable, type CallableOf, type Collected } from './hooks/hooks.ts'
export { observe, series, parallel, bail, waterfall, syncWaterfall, collect, type HookKind, type HookPolicy, type HookSpec, type TapContext, type TapFunction } from './hooks/spec.ts'
export type { ValueChange } from './hooks/trace.ts'

// Plan and kernel
export { resolvePlan, type Plan, type PlanEdge, type PlannedPlugin, type PlanOptions, type PlanProblem, type MustTap } from './plan.ts'
export { explain, type KernelError } from './plan-report.ts'
export { Kernel, type KernelOptions, type Reloaded, type ReloadOptions } from './kernel.ts'
export type { Generation } from './generation.ts'
export type { Inspection } from './inspect.ts'
export type { RecordedError } from './diagnostics.ts'

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
export { withDeadline } from './blame.ts'
