import { z } from 'zod'

/** Where the agent is served, and a key of the scopes `agents` and `artifacts`. */
export interface Server {
  readonly url: string
  readonly key: string
}

const Started = z.object({ session_id: z.string() })
const Status = z.object({
  status: z.enum(['queued', 'running', 'awaiting_input', 'complete', 'error', 'canceled']),
  session_error: z.string().optional(),
  result: z.json().optional(),
  result_artifact_id: z.string().nullable(),
})
const Result = z.object({
  product: z.string(),
  reviews: z.number(),
  verdict: z.enum(['keep', 'improve', 'drop']),
  complaints: z.array(z.string()),
})
const Artifact = z.object({
  artifact: z.object({
    title: z.string(),
    content_markdown: z.string(),
    citations: z.array(z.object({ quote: z.string(), source: z.object({ tool: z.string() }) })),
  }),
})

/** A finished report: what programs read, and what people read. */
export interface Report {
  readonly session: string
  readonly result: z.output<typeof Result>
  readonly artifact: z.output<typeof Artifact>['artifact']
}

const POLL_MS = 500

/**
 * Has a report written, and waits for it. The same key again is the same report: a program that was
 * restarted asks once more, and gets what the first run has come to.
 *
 * @param key of the request, such as the order that it belongs to
 * @param signal ends the waiting; the run goes on
 * @throws Error where the run fails, or asks something that nobody here can answer
 */
export async function reportOn(
  server: Server,
  product: string,
  key: string,
  signal: AbortSignal,
): Promise<Report> {
  const call = callerOf(server, signal)
  const { session_id: session } = Started.parse(
    await call('/agents/run', {
      headers: { 'idempotency-key': key },
      body: JSON.stringify({
        profile_id: 'analyst',
        task: `Report what customers say of: ${product}`,
        input_params: { product },
      }),
    }),
  )
  for (;;) {
    const run = Status.parse(await call(`/agents/${session}/status`))
    if (run.status === 'complete') {
      const { artifact } = Artifact.parse(await call(`/artifacts/${run.result_artifact_id ?? ''}`))
      return { session, result: Result.parse(run.result), artifact }
    }
    if (run.status !== 'queued' && run.status !== 'running')
      throw new Error(`the run is ${run.status}: ${run.session_error ?? session}`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

const callerOf =
  ({ url, key }: Server, signal: AbortSignal) =>
  async (
    path: string,
    post?: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  ): Promise<unknown> => {
    const response = await fetch(`${url}/api/platform/v1${path}`, {
      ...(post && { method: 'POST', body: post.body }),
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...post?.headers,
      },
      signal,
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
