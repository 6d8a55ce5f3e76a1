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
  answer: z.string(),
  confidence: z.enum(['high', 'medium', 'low']),
  studies: z.array(z.string()),
  gaps: z.array(z.string()),
})
const Citation = z.object({
  quote: z.string(),
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('tool_outcome'), tool: z.string(), entry: z.number() }),
    z.object({ kind: z.literal('user_message'), entry: z.number() }),
    z.object({ kind: z.literal('document'), document: z.string(), file: z.string() }),
  ]),
})
const Artifact = z.object({
  artifact: z.object({
    title: z.string(),
    content_markdown: z.string(),
    citations: z.array(Citation),
  }),
})

/** A finished report: `result` for programs, `artifact` for people. */
export interface Report {
  readonly session: string
  readonly result: z.output<typeof Result>
  readonly artifact: z.output<typeof Artifact>['artifact']
}

const POLL_MS = 500

/**
 * Starts a run of the researcher, and waits for its report. The same key returns the same report: a
 * program that was restarted sends the request once more, and gets what the first run produced.
 *
 * @param key of the request, such as the ticket that it belongs to
 * @param signal ends the waiting; the run goes on
 * @throws Error when the run fails, or waits for a person
 */
export async function research(
  server: Server,
  question: string,
  key: string,
  signal: AbortSignal,
): Promise<Report> {
  const call = callerOf(server, signal)
  const { session_id: session } = Started.parse(
    await call('/agents/run', {
      headers: { 'idempotency-key': key },
      body: JSON.stringify({ profile_id: 'researcher', task: question }),
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
