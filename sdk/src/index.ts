// What plugin authors import. A plugin depends on this package and on other plugins' `/tokens`
// only.

// Plugins, tokens, scopes, plans, results, errors, ids, events, the journal
export type * from '@amodal/kernel'
export type * from './agent-event.ts'
export type { AsyncResult } from './async-result.ts'
export { CODES, defineError, failure, fixOf, type ErrorKind, type KnownCode } from './errors.ts'
export {
  defineEvent,
  defineRuntimeEvent,
  type EventKind,
  type RuntimeEventKind,
  type SessionEventKind,
} from './define-event.ts'
export {
  askId,
  bail,
  callId,
  canonical,
  Clock,
  collect,
  deadline,
  deepFreeze,
  err,
  hashOf,
  Inspector,
  instanceId,
  isId,
  isPlugin,
  Kernel,
  LOCAL_TENANT,
  Log,
  messageOf,
  never,
  NO_USAGE,
  observe,
  ok,
  onAbort,
  OUTCOME_SETTLED,
  parallel,
  PluginError,
  principalId,
  registry,
  resolvePlan,
  RunFacts,
  runId,
  series,
  SessionFacts,
  sessionId,
  sha256,
  silentLogger,
  sleep,
  slot,
  STAGES,
  syncWaterfall,
  SYSTEM,
  systemClock,
  tenantId,
  tryAsync,
  trySync,
  unwrap,
  waterfall,
  within,
} from '@amodal/kernel'
export { startAgent, type Running, type StartError } from './start.ts'

// Ports between plugins, and the hooks they act at
export type * from './ports/index.ts'
export {
  Agent,
  ApprovalPolicy,
  AuditTrail,
  Authenticator,
  Budgets,
  BundleSource,
  Checkups,
  Commands,
  Compactor,
  ConnectionStatuses,
  Database,
  delegatedSince,
  Dispatcher,
  Erasers,
  RedactionHandles,
  Health,
  isAtRest,
  isReadOnly,
  isTriable,
  JobQueue,
  LiveChecks,
  LOCAL_IDENTITY,
  LocalToken,
  Migrations,
  ModelCooldowns,
  Models,
  NANO,
  Outbound,
  OutputRedactor,
  PERSISTENCES,
  Pricing,
  PromptCompiler,
  PromptSections,
  quoting,
  RefusalListeners,
  RequestLimiter,
  RoleView,
  ScopeSecrets,
  Scrubber,
  Sealer,
  Secrets,
  seenBy,
  SessionStore,
  SHARED_TENANT,
  sinceDelegated,
  stateOf,
  StoreBackend,
  SUBAGENT_META,
  SUMMARY_HEAD,
  TaintIgnored,
  Tenancy,
  TenantDatabase,
  ToolAliases,
  Tools,
  Widgets,
} from './ports/index.ts'
export { HOOKS, type HookName, type MustTap } from './hooks/catalog.ts'
export { hooksOf, type AgentHooks } from './hooks/hooks-of.ts'
export { announce } from './hooks/announce.ts'

// Making plugins, hooks, tools and lists
export {
  definePlugin,
  type HookTaps,
  type PluginDefinition,
  type SetupApi,
} from './define-plugin.ts'
export { defineHook, replace, use, without } from '@amodal/kernel'
export { toolSchema } from './tool-schema.ts'
export { defineTool, type ToolShape } from './define-tool.ts'
export {
  defineToolHandler,
  type Executed,
  type HandlerContext,
  type ToolHandler,
} from './define-tool-handler.ts'
export { defineBundle, type BundleParts } from './define-bundle.ts'
export { truncate, truncateLine } from './truncate.ts'
export { imageTypeOf, type ImageType } from './image.ts'
export { answersIn, choicesOf, type AskedAnswer, type AskedChoices } from './ask-answers.ts'
export { isList, isObject, mapTexts } from './json.ts'
export { readEntries } from './data/entries.ts'
export { normalText } from './normal.ts'
export { LastRead, type ReadElsewhere } from './last-read.ts'
export { parseDateTime } from './date-time.ts'
export { atMost, timeLimit } from './time.ts'
export type { StorePlace } from './stores/store-documents.ts'
export { splitContext, withContext } from './message-context.ts'
export { wrapUntrusted, splitUntrusted, type UntrustedBlock } from './untrusted.ts'
export { matchesWildcard } from './wildcard.ts'
export { isPrivateTool } from './private-tool.ts'
export { chooseModel, providerOf } from './choose-model.ts'
export { modelErrorOf, type ModelError, type ModelErrorClass } from './model-error.ts'

// Saying what there is
export { explain } from './explain.ts'
export type { Inspection } from './inspection/inspection.ts'
export type { ValueChange } from './inspection/trace-values.ts'

export type { WireEvent } from './wire/wire-event.ts'
export type {
  EventSink,
  EventStreamOptions,
  StreamResponseOptions,
  StreamSource,
} from './wire/sse.ts'
export { isSecretName, redact, REDACTED } from './redact.ts'
