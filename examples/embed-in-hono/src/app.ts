import { createAgent, type AgentConfig } from '@amodal/presets'
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { validator } from 'hono/validator'

/** Who asks: whatever your own authentication says. */
export type WhoIs = (request: Request) => string | undefined

const text = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Your own server, your own routes, your own users: the agent is a value inside it. */
export async function makeApp(
  config: AgentConfig,
  whoIs: WhoIs,
): Promise<{ readonly app: Hono; readonly close: () => Promise<void> }> {
  const agent = await createAgent(config)
  const question = validator(
    'json',
    ({ message, sessionId }: { readonly message?: unknown; readonly sessionId?: unknown }, c) =>
      text(message)
        ? { message, sessionId: text(sessionId) ? sessionId : undefined }
        : c.json({ error: 'message: must be a text' }, 400),
  )

  const app = new Hono()
  app.post('/api/ask', question, async (c) => {
    const userId = whoIs(c.req.raw)
    if (userId === undefined) return c.json({ error: 'sign in first' }, 401)
    const { message, sessionId } = c.req.valid('json')
    // With a user's id, only that person's sessions are found.
    const session =
      sessionId === undefined
        ? await agent.createSession({ userId })
        : await agent.resumeSession(sessionId, { userId })
    if (!session) return c.json({ error: 'unknown session' }, 404)
    return streamSSE(c, async (stream) => {
      for await (const event of session.stream(message))
        await stream.writeSSE({ event: event.type, data: JSON.stringify(event) })
    })
  })
  return { app, close: () => agent.shutdown() }
}
