// What a conversation shows, from its stored history and from the events of its turns.
export { approvalFields, askOfPending, grantIn } from './ask.ts'
export { approvalsIn, historyItems } from './history-items.ts'
export { plain, type Ask, type Call, type Item, type SessionFile, type Settled } from './item.ts'
export { messagesOf, type ChatMessage } from './messages.ts'
export { SET_ASIDE, turnItems } from './turn-items.ts'
