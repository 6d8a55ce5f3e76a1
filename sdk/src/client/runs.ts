import type { JsonObject } from '@amodal/kernel'
import type { HttpTransport, Signal } from './http-transport.ts'
import { randomKey } from './random-key.ts'
import type { RunStatus } from '../wire/run-status.ts'
import { runStream } from './run-stream.ts'
import type {
  Artifact,
  ArtifactSummary,
  ArtifactVersions,
  FollowRunOptions,
  RunDetails,
  RunInput,
  RunPage,
  RunProfile,
  RunUpdate,
} from './run-types.ts'
import type { ResumeOptions } from './turn-stream.ts'

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
  /**
   * The newest first.
   *
   * @param page `before`: the `next_before` of the page before; `status`: only runs that stand
   *   there
   */
  list(
    page?: {
      readonly limit?: number
      readonly before?: string
      readonly status?: RunStatus
    } & Signal,
  ): Promise<RunPage>
  profiles(options?: Signal): Promise<readonly RunProfile[]>
  status(id: string, options?: Signal): Promise<RunDetails>
  /**
   * Its state and its progress, over cut connections too; ends once it has ended or waits for a
   * person. Throws `ClientError` where the server refuses it or stays out of reach.
   */
  follow(id: string, options?: FollowRunOptions): AsyncIterable<RunUpdate>
  /** @param ask which question is answered where several wait; default: the first */
  resume(id: string, input: JsonObject, options?: Signal & { readonly ask?: string }): Promise<void>
  cancel(id: string, options?: Signal & { readonly reason?: string }): Promise<void>
  artifacts(id: string, options?: Signal): Promise<readonly ArtifactSummary[]>
  /** @param options `version`: default: the newest */
  artifact(id: string, options?: Signal & { readonly version?: number }): Promise<Artifact>
  /** The same with a list of all its versions. */
  artifactVersions(
    id: string,
    options?: Signal & { readonly version?: number },
  ): Promise<ArtifactVersions>
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
    list: ({ signal, ...page } = {}) =>
      transport.json(`${PREFIX}/agents?${queryOf(page)}`, { signal }),
    async profiles({ signal } = {}) {
      const path = `${PREFIX}/agents/profiles`
      const { profiles } = await transport.json<{ readonly profiles: readonly RunProfile[] }>(
        path,
        { signal },
      )
      return profiles
    },
    status: (id, { signal } = {}) => transport.json(at(id, 'status'), { signal }),
    follow: (id, following = {}) =>
      runStream(
        transport,
        { stream: at(id, 'stream'), status: at(id, 'status') },
        following,
        options,
      ),
    resume: (id, input, { ask, ...rest } = {}) =>
      post(at(id, 'resume'), { input, ask_id: ask }, rest),
    cancel: (id, { reason, ...rest } = {}) => post(at(id, 'cancel'), { reason }, rest),
    ...artifactMethods(transport, at),
  }
}

const queryOf = (fields: Readonly<Record<string, string | number | undefined>>): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  ).toString()

function artifactMethods(
  transport: HttpTransport,
  at: (run: string, rest: string) => string,
): Pick<Runs, 'artifacts' | 'artifact' | 'artifactVersions'> {
  const read = (
    id: string,
    query: string,
    signal: AbortSignal | undefined,
  ): Promise<ArtifactVersions> =>
    transport.json(`${PREFIX}/artifacts/${encodeURIComponent(id)}?${query}`, { signal })
  return {
    async artifacts(id, { signal } = {}) {
      const { artifacts } = await transport.json<{
        readonly artifacts: readonly ArtifactSummary[]
      }>(at(id, 'artifacts'), { signal })
      return artifacts
    },
    artifact: async (id, { version, signal } = {}) =>
      (await read(id, queryOf({ version }), signal)).artifact,
    artifactVersions: (id, { version, signal } = {}) =>
      read(id, queryOf({ version, include_versions: 'true' }), signal),
  }
}
