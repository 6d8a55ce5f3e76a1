// What a loop is made of: the driver of the states, the journal and who may write it, and what one
// plugin that runs the agent (`loop`) needs of the ports. Types are those of the main door.
export {
  addUsage,
  alarm,
  askStore,
  childrenOf,
  clean,
  drive,
  emitted,
  ENTRY_VERSION,
  holdingLogger,
  IDLE,
  isLegal,
  JournalWriter,
  kernelHooks,
  LaneLease,
  lateLogger,
  LEASE_MARGIN,
  mapHooks,
  newSessionId,
  NEXT,
  NO_OUTCOME,
  openAsks,
  PLUGIN,
  readEntry,
  RunScope,
  ScopeError,
  SessionScope,
  spentIn,
  stage,
  Turn,
  withDeadline,
} from '@amodal/kernel'
export { usageOf } from '../ports/model.ts'
export { boundOutbound, mayHaveActed } from '../ports/outbound.ts'
export { isKeyed } from '../ports/tool.ts'
export { verdict, VERDICT_ORDER } from '../ports/verdict.ts'
