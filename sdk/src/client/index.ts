// An agent behind HTTP, for browsers, Node and other hosts with `fetch`.
export { createClient, type ClientOptions } from './create-client.ts'
export { createSessionClient, type SessionClient } from './session-client.ts'
export type { Client, SessionInput, SessionQuery } from './client.ts'
export type { Signal } from './http-transport.ts'
export { TokenSource } from './token-source.ts'
export { ClientError } from './types.ts'
export type {
  AnswerInput,
  ClientEvent,
  FeedbackGiven,
  FeedbackInput,
  FeedbackOffer,
  FileInput,
  Grant,
  ImageInput,
  MessageInput,
  Opinion,
  PastApproval,
  PastCall,
  PendingInput,
  Reply,
  SessionDetails,
  SessionList,
  SessionMessage,
  SessionStanding,
  SessionSummary,
  SettledOutcome,
  UnknownOutcome,
  UploadedFile,
} from './types.ts'
export type { UploadOptions } from './upload-file.ts'

// Streams and their parts.
export { readEvents } from './event-reader.ts'
export { EventParser, type ParsedEvent } from './event-parser.ts'
export { patched } from './json-patch.ts'
export type { LiveState, SessionStatus } from './state-stream.ts'
export { Transcript } from './transcript.ts'
export type { ServerEvent, ServerEventsOptions } from './server-events.ts'

// Stores, tasks and runs.
export type {
  DocumentPage,
  DocumentQuery,
  StoredDocument,
  Stores,
  StoreSummary,
  WriteOptions,
  Written,
} from './stores.ts'
export type { TaskInput, Tasks, TaskStatus } from './tasks.ts'
export type { Runs } from './runs.ts'
export {
  isRunEnded,
  RUN_STATUSES,
  type EndedRunStatus,
  type RunStatus,
} from '../wire/run-status.ts'
export type {
  Artifact,
  ArtifactSummary,
  ArtifactVersions,
  Citation,
  CitationSource,
  FollowRunOptions,
  RunDetails,
  RunInput,
  RunPage,
  RunProfile,
  RunProgress,
  RunQuestion,
  RunSummary,
  RunTokens,
  RunUpdate,
} from './run-types.ts'

// What user interfaces are built from.
export {
  Conversation,
  ME,
  memoryOutbox,
  storageOutbox,
  type ConversationOptions,
  type ConversationSnapshot,
  type Outbox,
  type SendOptions,
  type SentMessage,
  type Settlement,
} from './conversation/index.ts'
export {
  approvalsIn,
  approvalFields,
  askOfPending,
  grantIn,
  historyItems,
  messagesOf,
  plain,
  SET_ASIDE,
  turnItems,
  type Ask,
  type Call,
  type ChatMessage,
  type Item,
  type SessionFile,
  type Settled,
} from './timeline/index.ts'
export { Reachability, type ServerReach } from './reachability.ts'
export { whenPageIs } from './page-visibility.ts'
export { randomKey } from './random-key.ts'
export { decodeEntities } from './decode-entities.ts'
export { safeLink } from './safe-link.ts'
