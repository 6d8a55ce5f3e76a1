import { readEvents } from './event-reader.ts'
import type { HttpTransport } from './http-transport.ts'

/** Something changed on the server: the other routes have what it is now. */
export interface ServerEvent {
  readonly seq: number
  /** Such as `session_updated`, `store_updated` or `manifest_changed`. */
  readonly type: string
  /** ISO 8601. */
  readonly timestamp: string
  readonly [field: string]: string | number | boolean
}

export interface ServerEventsOptions {
  /** The last event that is known: what came after it comes first. */
  readonly last?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * What changes on the server, until the connection ends: the server ends it after a quarter of an
 * hour.
 *
 * @param onOpen called once events that happen from then on are received
 */
export async function* serverEvents(
  transport: HttpTransport,
  { last, signal }: ServerEventsOptions,
  onOpen?: () => void,
): AsyncGenerator<ServerEvent, void, undefined> {
  const response = await transport.open('/api/events', {
    headers: {
      accept: 'text/event-stream',
      ...(last !== undefined && { 'last-event-id': String(last) }),
    },
    signal,
  })
  onOpen?.()
  for await (const { data } of readEvents(response, signal)) {
    const event: unknown = JSON.parse(data)
    if (isServerEvent(event)) yield event
  }
}

const isServerEvent = (event: unknown): event is ServerEvent =>
  typeof event === 'object' &&
  event !== null &&
  'seq' in event &&
  'timestamp' in event &&
  'type' in event
