// What plugin authors import. A plugin depends on this package and on other plugins' `/tokens`
// only.

// Plugins, tokens, scopes, plans, results, errors, ids, events, the journal
export * from '@amodal/kernel'
export { startAgent, type Running, type StartError } from './start.ts'

// Ports between plugins, and the hooks they act at
export * from './ports/index.ts'
export { HOOKS, listHooks, type HookName, type MustTap } from './hooks/catalog.ts'
export { hooksOf, type AgentHooks } from './hooks/hooks-of.ts'
export { announce } from './hooks/announce.ts'

// Making plugins, hooks, tools and lists
export * from './define-plugin.ts'
export * from './define-hook.ts'
export { replace, use, without } from './entries.ts'
export { toolSchema } from './tool-schema.ts'
export { defineTool, type ToolShape } from './define-tool.ts'
export {
  defineToolHandler,
  type Executed,
  type HandlerContext,
  type ToolHandler,
} from './define-tool-handler.ts'
export { defineBundle, type BundleParts } from './define-bundle.ts'
export { cut, cutShort } from './cut.ts'
export { imageTypeOf, type ImageType } from './image.ts'
export { answersIn, choicesOf, type AskedAnswer, type AskedChoices } from './asked.ts'
export { isList, isObject, mapTexts } from './json.ts'
export { normalText } from './normal.ts'
export { isAmbiguousName, nameKey, plainLetters } from './field-name.ts'
export { LastRead, type ReadElsewhere } from './last-read.ts'
export { momentOf } from './moment.ts'
export { atMost, timeLimit } from './time.ts'
export {
  compareValues,
  comparable,
  holds,
  storeField,
  ttlOf,
  valueAt,
  type StorePlace,
} from './store-documents.ts'
export { splitContext, withContext } from './message-context.ts'
export { fenced, unfence, type Fenced } from './untrusted.ts'
export { matchesWildcard } from './wildcard.ts'
export { isPrivateTool } from './private-tool.ts'
export { chooseModel, providerOf } from './choose-model.ts'
export { modelErrorOf, type ModelError, type ModelErrorClass } from './model-error.ts'

// Saying what there is
export { explain } from './explain.ts'
export { inspectionOf, type Inspection } from './inspection.ts'
export { toText } from './inspect-text.ts'
export { toMermaid } from './mermaid.ts'
export { traceValues, type ValueChange } from './trace-values.ts'

// What leaves over HTTP
export {
  eventStream,
  streamResponse,
  streamSourceOf,
  type EventSink,
  type EventStreamOptions,
  type StreamResponseOptions,
  type StreamSource,
} from './sse.ts'
export {
  frameText,
  isDetail,
  legacyFrameText,
  plainFrameText,
  wireEvent,
  wireRunUsage,
  wireUsage,
  type WireEvent,
} from './wire-event.ts'
export { isSecretName, redact, REDACTED } from './redact.ts'
