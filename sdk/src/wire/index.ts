// What leaves over HTTP: events as clients get them, as frames of a stream, and webhooks.
export { isClosedAsk } from '../closed-ask.ts'
export { statusOf } from '../error-status.ts'
export { isRunEnded, RUN_STATUSES, type EndedRunStatus, type RunStatus } from './run-status.ts'
export { frameId, parseFrameId } from '../ports/frame.ts'
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
  isPluginEvent,
  legacyFrameText,
  plainFrameText,
  wireEvent,
  wireRunUsage,
  wireUsage,
  type WireEvent,
} from './wire-event.ts'
export {
  readTurn,
  turnStream,
  type StreamedTurn,
  type TurnStreamOptions,
  type TurnWriter,
} from './turn-stream.ts'
export { keepingDigits, quotedBody } from './exact-messages.ts'
export { askedContext, declinedAnswer } from './asked.ts'
export { assetUrl, fileOfUrl, messageProblem, publicHeaders } from './message-parts.ts'
export { sessionOfThread } from './thread-session.ts'
export { EventKinds } from '../define-event.ts'
export { mayPassLater, retryAfterMs } from './retry-after.ts'
export { webhookHeaders, webhookKey } from './webhook.ts'
export {
  bodyForHost,
  postWebhook,
  webhookJobOutcome,
  webhookVerdict,
  type WebhookAttempt,
  type WebhookPost,
  type WebhookVerdict,
} from './post-webhook.ts'
