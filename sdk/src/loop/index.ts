// What a loop is made of: the driver of the states, the journal and who may write it, and what one
// plugin that runs the agent (`loop`) needs of the ports. Types are those of the main door.
export {
  addUsage,
  alarm,
  callStore,
  clean,
  drive,
  emitted,
  ENTRY_VERSION,
  holdingLogger,
  IDLE,
  isLegal,
  JournalWriter,
  kernelHooks,
  SessionLease,
  lateLogger,
  LEASE_MARGIN,
  mapHooks,
  newKey,
  newRunId,
  newSessionId,
  NEXT,
  NO_OUTCOME,
  openAsks,
  PLUGIN,
  RunScope,
  ScopeError,
  SessionScope,
  spentIn,
  stage,
  Turn,
  withDeadline,
  SHARED_STATE,
} from '@amodal/kernel'
export { eventsOf, mapEventFields } from '../agent-event.ts'
export { callsAsText, resultText } from './calls-as-text.ts'
export { isSubagentSession } from './subagent-session.ts'
export {
  assetOf,
  assetPart,
  describeAsset,
  isTextType,
  isTypeOf,
  type FilePart,
} from '../asset-part.ts'
export { defined, type Defined } from '../defined.ts'
export { IMAGE_TYPES } from '../image.ts'
export { memoized } from '../memoized.ts'
export { FINISH_KINDS, type FinishKind } from '../models/finish-kind.ts'
export { lazily } from '../lazily.ts'
export { usageOf } from '../ports/model.ts'
export { boundOutbound, mayHaveActed } from '../ports/outbound.ts'
export { isKeyed } from '../ports/tool.ts'
export { childrenOf } from '../ports/run-record.ts'
export { verdict, VERDICT_ORDER } from '../ports/verdict.ts'
export { LASTING } from '../ports/run-context.ts'
export { ANY_SESSION } from '../ports/session-store.ts'
export { SessionChanges } from '../ports/session-change.ts'
export {
  GRANT_SCOPES,
  GrantLedger,
  offerIn,
  REVOKE_GRANT,
  revokedGrantIn,
  type ApprovalGrant,
  type GrantOffer,
} from '../ports/approval-grant.ts'
export { copiesOf, SharedStates, type SharedState } from '../ports/shared-state.ts'
export { keepAll, keepTimeOf, LISTED_KINDS, SESSION_KINDS } from '../ports/retention.ts'
export { SESSION_STANDINGS } from '../ports/session-store.ts'
export { AssetStore } from '../ports/asset-store.ts'
export { SessionArchive } from '../ports/session-archive.ts'
export { SessionBundles } from '../ports/session-bundles.ts'
export { readEntry } from '../data/entries.ts'
export { EVERY_ROLE, LOCAL_CALLER, withoutEveryRole } from '../ports/identity.ts'
export { noModelFound } from '../choose-model.ts'
