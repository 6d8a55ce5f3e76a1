// One session as a client knows it, for user interfaces.
export { Conversation } from './conversation.ts'
export { ME } from './decisions.ts'
export type { ConversationOptions, SendOptions, Settlement } from './options.ts'
export { memoryOutbox, storageOutbox, type Outbox, type SentMessage } from './outbox.ts'
export type { ConversationSnapshot } from './snapshot.ts'
