import { EventParser, type ParsedEvent } from './event-parser.ts'
import { ClientError } from './types.ts'

/** The server sends a comment every 15 s: silence for three times as long is a dead connection. */
const SILENCE_MS = 45_000
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000

/**
 * The events of a response, as they come. Throws a `ClientError` with `UNREACHABLE` where it is
 * cut, also where nothing has come for 45 seconds.
 *
 * @param signal the signal of the request: where it has aborted, its reason is thrown
 * @example
 * for await (const { event, data } of readEvents(await fetch(url), undefined)) show(event, data)
 */
export async function* readEvents(
  response: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<ParsedEvent, void, undefined> {
  const reader = response.body?.getReader()
  if (!reader) return
  const parser = new EventParser()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const chunk = await within(reader.read(), SILENCE_MS)
      if (chunk.done) return
      yield* parser.push(decoder.decode(chunk.value, { stream: true }))
    }
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw new ClientError('UNREACHABLE', 'the stream was cut', undefined, cause)
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

/**
 * Yields the values of one attempt after another, across broken connections. An attempt returns
 * `true` when the stream is complete. Throws after `tries` consecutive retries without a value, and
 * at once where a retry cannot help.
 *
 * @param why of the error where attempts end early without one
 */
export async function* overCuts<T>(
  attempt: () => AsyncGenerator<T, boolean, undefined>,
  {
    signal,
    tries = 10,
    why,
  }: {
    readonly signal: AbortSignal | undefined
    readonly tries?: number | undefined
    readonly why: string
  },
): AsyncGenerator<T, void, undefined> {
  for (let failed = 0; ; failed++) {
    let error = new ClientError('UNREACHABLE', why)
    const given = attempt()
    try {
      let next = await given.next()
      while (next.done !== true) {
        failed = 0
        yield next.value
        next = await given.next()
      }
      if (next.value) return
    } catch (cause) {
      if (signal?.aborted || !mayPass(cause)) throw cause
      error = cause
    } finally {
      await given.return(true)
    }
    if (failed >= tries) throw error
    await backOff(failed, signal)
  }
}

/**
 * Whether a retry may succeed: the server did not respond, or is starting, stopping or overloaded.
 */
const mayPass = (cause: unknown): cause is ClientError =>
  cause instanceof ClientError &&
  (cause.code === 'UNREACHABLE' || [429, 502, 503, 504].includes(cause.status ?? 0))

/** Waits before the next try, longer after each that failed. */
function backOff(failed: number, signal: AbortSignal | undefined): Promise<void> {
  const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failed)
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came for ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
