export {
  approvalFields,
  approvalsIn,
  grantIn,
  historyItems,
  plain,
  SET_ASIDE,
  turnItems,
  type Ask,
  type Call,
  type Item,
  type SessionFile,
  type Settled,
} from '@amodal/sdk/client'
