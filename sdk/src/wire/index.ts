// What leaves over HTTP: events as clients get them, as frames of a stream.
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
  legacyFrameText,
  plainFrameText,
  wireEvent,
  wireRunUsage,
  wireUsage,
  type WireEvent,
} from './wire-event.ts'
