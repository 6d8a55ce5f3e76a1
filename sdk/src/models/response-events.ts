import { type EventReader, isFields, jsonFields, type ReadEvent } from './reply-end.ts'

type Fields = Readonly<Record<string, unknown>>

/** What has none of these words in it is passed on as it stands, and need not be parsed. */
const READ = /"error"|response\.(?:created|in_progress|completed|incomplete|failed)/

/**
 * Reads a stream of responses as compatible services write it, for a package that knows OpenAI's
 * own only: without numbers of events, counts or a reason, and with events that have no type.
 */
export class ResponseEvents implements EventReader {
  read(data: string): ReadEvent {
    if (!READ.test(data) && data.includes('"type"')) return { events: [data] }
    const event = jsonFields(data)
    if (Object.keys(event).length === 0) return emptyEvent(data)
    switch (event.type) {
      case 'response.created':
      case 'response.in_progress':
        return { events: isNamed(event.response) ? [data] : [] }
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return { events: [endEvent(event)], end: 'last' }
      case 'error':
        return { events: [errorEvent(fieldsOf(event.error) ?? event)] }
      default:
        return otherEvent(event, data)
    }
  }
}

/** What is no object at all is for the package to refuse. */
const emptyEvent = (data: string): ReadEvent => ({
  events: data.trim() === '{}' ? [] : [data],
})

/** An event that the package may know; one without a type counts where it says what went wrong. */
function otherEvent(event: Fields, data: string): ReadEvent {
  if (typeof event.type === 'string') return { events: [data] }
  return { events: isFields(event.error) ? [errorEvent(event.error)] : [] }
}

const fieldsOf = (value: unknown): Fields | undefined => (isFields(value) ? value : undefined)

/** Whether it says what the package wants to know of a response that begins. */
const isNamed = (response: unknown): boolean =>
  isFields(response) &&
  typeof response.id === 'string' &&
  typeof response.created_at === 'number' &&
  typeof response.model === 'string'

/** The event that ends a response, by the status that it has in the end. */
function endEvent(event: Fields): string {
  const response = isFields(event.response) ? event.response : {}
  const type = typeOf(event.type, response.status)
  const { usage, incomplete_details: details, error } = response
  const reason =
    isFields(details) && typeof details.reason === 'string' ? details.reason : undefined
  return JSON.stringify({
    ...event,
    type,
    sequence_number: numberOf(event.sequence_number),
    response: {
      ...response,
      usage: isFields(usage) && typeof usage.input_tokens === 'number' ? usage : null,
      incomplete_details:
        type === 'response.incomplete' ? { reason: reason ?? 'incomplete' } : null,
      error:
        type === 'response.failed'
          ? errorFields(
              isFields(error) ? error : { code: 'server_error', message: 'The response failed' },
            )
          : null,
    },
  })
}

function typeOf(type: unknown, status: unknown): unknown {
  if (status === 'failed' || status === 'cancelled') return 'response.failed'
  return status === 'incomplete' ? 'response.incomplete' : type
}

const errorEvent = (error: Fields): string =>
  JSON.stringify({ type: 'error', sequence_number: 0, param: null, ...errorFields(error) })

const errorFields = ({ code, type, message, ...rest }: Fields): Fields => ({
  code: codeOf(code) ?? codeOf(type) ?? null,
  message: typeof message === 'string' ? message : JSON.stringify(rest),
})

const codeOf = (code: unknown): string | undefined =>
  typeof code === 'string' || typeof code === 'number' ? String(code) : undefined

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
