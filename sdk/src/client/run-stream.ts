import { overCuts, readEvents } from './event-reader.ts'
import type { HttpTransport } from './http-transport.ts'
import { whenPageIs } from './page-visibility.ts'
import { isRunEnded } from '../wire/run-status.ts'
import type { FollowRunOptions, RunDetails, RunProgress, RunUpdate } from './run-types.ts'
import type { ResumeOptions } from './turn-stream.ts'
import { ClientError } from './types.ts'

interface RunPaths {
  readonly stream: string
  readonly status: string
}

/**
 * Follows a run over cut connections: its state first, then its progress. It ends once the run has
 * ended or waits for a person. A connection that brings nothing for 45 seconds counts as cut.
 */
export function runStream(
  transport: HttpTransport,
  paths: RunPaths,
  { signal, last: known, pauseWhileHidden = false, onConnection }: FollowRunOptions,
  { tries }: ResumeOptions,
): AsyncGenerator<RunUpdate, void, undefined> {
  let last = known
  let status: RunDetails['status'] | undefined
  return overCuts(attempt, { signal, tries, why: 'the stream of the run has ended' })

  /** Returns `true` when nothing comes by itself any more. */
  async function* attempt(): AsyncGenerator<RunUpdate, boolean, undefined> {
    if (!pauseWhileHidden) return yield* connection(signal)
    await untilVisible(signal)
    const hidden = new AbortController()
    const leave = whenPageIs('hidden', () => hidden.abort())
    try {
      return yield* connection(AbortSignal.any([hidden.signal, ...(signal ? [signal] : [])]))
    } catch (cause) {
      if (hidden.signal.aborted && !signal?.aborted) return false
      throw cause
    } finally {
      leave()
    }
  }

  async function* connection(
    until: AbortSignal | undefined,
  ): AsyncGenerator<RunUpdate, boolean, undefined> {
    const response = await transport.open(paths.stream, {
      signal: until,
      headers: {
        accept: 'text/event-stream',
        ...(last !== undefined && { 'last-event-id': last }),
      },
    })
    onConnection?.(true)
    try {
      for await (const { id = '', event, data } of readEvents(response, until)) {
        // The server's contract.
        if (event === 'state') yield stateOf(JSON.parse(data) as RunDetails)
        else if (event === 'progress') {
          last = id
          yield { type: 'progress', id, progress: JSON.parse(data) as RunProgress }
          // The stream has no state between its first and its last.
          if (status === 'queued')
            yield stateOf(await transport.json(paths.status, { signal: until }))
        } else if (event === 'error') throw failureOf(data)
      }
    } finally {
      onConnection?.(false)
    }
    return status !== undefined && (isRunEnded(status) || status === 'awaiting_input')
  }

  function stateOf(state: RunDetails): RunUpdate {
    status = state.status
    return { type: 'state', state }
  }
}

/** Resolves when the page is visible, or when `signal` aborts. */
async function untilVisible(signal: AbortSignal | undefined): Promise<void> {
  let leave = (): void => undefined
  await new Promise<void>((resolve) => {
    leave = whenPageIs('visible', resolve)
    signal?.addEventListener('abort', () => resolve(), { once: true })
    if (signal?.aborted) resolve()
  })
  leave()
}

function failureOf(data: string): ClientError {
  // the server's contract
  const { code, message } = JSON.parse(data) as { readonly code: string; readonly message: string }
  return new ClientError(code, message)
}
