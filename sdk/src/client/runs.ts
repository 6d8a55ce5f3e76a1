import type { JsonObject } from '@amodal/kernel'
import { defined } from '../defined.ts'
import { overCuts, readEvents } from './event-reader.ts'
import type { HttpTransport, Signal } from './http-transport.ts'
import { randomKey } from './random-key.ts'
import type {
  Artifact,
  ArtifactSummary,
  RunDetails,
  RunInput,
  RunPage,
  RunProfile,
  RunUpdate,
} from './run-types.ts'
import type { ResumeOptions } from './turn-stream.ts'
import { ClientError } from './types.ts'

/**
 * Runs: sessions that are started with a task and leave a result.
 *
 * @example
 * const { session_id: id } = await client.runs.start({ profile: 'researcher', task: 'Why P1?' })
 * for await (const update of client.runs.follow(id))
 *   if (update.type === 'state') show(update.state.status)
 */
export interface Runs {
  /** @returns the run as it stands once it is stored: `queued` */
  start(run: RunInput): Promise<Pick<RunDetails, 'session_id' | 'status'>>
  /** The newest first. @param page `before`: the `next_before` of the page before */
  list(page?: { readonly limit?: number; readonly before?: string } & Signal): Promise<RunPage>
  profiles(options?: Signal): Promise<readonly RunProfile[]>
  status(id: string, options?: Signal): Promise<RunDetails>
  /**
   * Its state and its progress, over cut connections too; ends once it has ended or waits for a
   * person.
   */
  follow(id: string, options?: Signal): AsyncIterable<RunUpdate>
  /** @param ask which question is answered where several wait; default: the first */
  resume(id: string, input: JsonObject, options?: Signal & { readonly ask?: string }): Promise<void>
  cancel(id: string, options?: Signal & { readonly reason?: string }): Promise<void>
  artifacts(id: string, options?: Signal): Promise<readonly ArtifactSummary[]>
  /** @param options `version`: default: the newest */
  artifact(id: string, options?: Signal & { readonly version?: number }): Promise<Artifact>
}

const PREFIX = '/api/platform/v1'

/** The methods of {@link Runs} over HTTP. */
export function runsOver(transport: HttpTransport, options: ResumeOptions): Runs {
  const at = (id: string, rest: string): string =>
    `${PREFIX}/agents/${encodeURIComponent(id)}/${rest}`
  const post = async (path: string, body: object, { signal }: Signal): Promise<void> => {
    await transport.json(path, { method: 'POST', body, signal })
  }
  return {
    start: ({ profile, task, params, key = randomKey(), webhookUrl, signal }) =>
      transport.json(`${PREFIX}/agents/run`, {
        method: 'POST',
        body: { profile_id: profile, task, input_params: params, webhook_url: webhookUrl },
        headers: { 'idempotency-key': key },
        signal,
      }),
    list: ({ limit, before, signal } = {}) => {
      const query = new URLSearchParams(defined({ limit: limit?.toString(), before })).toString()
      return transport.json(`${PREFIX}/agents?${query}`, { signal })
    },
    async profiles({ signal } = {}) {
      const path = `${PREFIX}/agents/profiles`
      const { profiles } = await transport.json<{ readonly profiles: readonly RunProfile[] }>(
        path,
        { signal },
      )
      return profiles
    },
    status: (id, { signal } = {}) => transport.json(at(id, 'status'), { signal }),
    follow: (id, { signal } = {}) => runStream(transport, at(id, 'stream'), signal, options),
    resume: (id, input, { ask, ...rest } = {}) =>
      post(at(id, 'resume'), { input, ask_id: ask }, rest),
    cancel: (id, { reason, ...rest } = {}) => post(at(id, 'cancel'), { reason }, rest),
    async artifacts(id, { signal } = {}) {
      const { artifacts } = await transport.json<{
        readonly artifacts: readonly ArtifactSummary[]
      }>(at(id, 'artifacts'), { signal })
      return artifacts
    },
    async artifact(id, { version, signal } = {}) {
      const query = version === undefined ? '' : `?version=${version}`
      const path = `${PREFIX}/artifacts/${encodeURIComponent(id)}${query}`
      const { artifact } = await transport.json<{ readonly artifact: Artifact }>(path, { signal })
      return artifact
    },
  }
}

/** Statuses after which nothing comes by itself. */
const RESTING: ReadonlySet<string> = new Set(['complete', 'error', 'canceled', 'awaiting_input'])

function runStream(
  transport: HttpTransport,
  path: string,
  signal: AbortSignal | undefined,
  { tries }: ResumeOptions,
): AsyncGenerator<RunUpdate, void, undefined> {
  let last: string | undefined
  return overCuts(attempt, { signal, tries, why: 'the stream of the run has ended' })

  async function* attempt(): AsyncGenerator<RunUpdate, boolean, undefined> {
    const response = await transport.open(path, {
      signal,
      headers: {
        accept: 'text/event-stream',
        ...(last !== undefined && { 'last-event-id': last }),
      },
    })
    let isResting = false
    for await (const { id, event, data } of readEvents(response, signal)) {
      if (event === 'state') {
        const state = JSON.parse(data) as RunDetails // the server's contract
        isResting = RESTING.has(state.status)
        yield { type: 'state', state }
      } else if (event === 'progress') {
        last = id
        const progress = JSON.parse(data) as JsonObject & { readonly type: string }
        yield { type: 'progress', progress } // the server's contract
      } else if (event === 'error') throw failureOf(data)
    }
    return isResting
  }
}

function failureOf(data: string): ClientError {
  // the server's contract
  const { code, message } = JSON.parse(data) as { readonly code: string; readonly message: string }
  return new ClientError(code, message)
}
