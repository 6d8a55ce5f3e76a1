import { createAgent, type AgentConfig } from '@amodal/presets'
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'

/** Your own server, your own routes: the agent is a value inside it. */
export async function makeApp(config: AgentConfig): Promise<{ readonly app: Hono; readonly close: () => Promise<void> }> {
  const agent = await createAgent(config)
  const app = new Hono()
  app.post('/api/ask', async (c) => {
    const { message, sessionId, userId } = await c.req.json<{ message: string; sessionId?: string; userId?: string }>()
    const who = userId === undefined ? {} : { userId }
    const session = sessionId === undefined ? await agent.createSession(who) : await agent.resumeSession(sessionId, who)
    if (!session) return c.json({ error: 'unknown session' }, 404)
    return streamSSE(c, async (stream) => {
      for await (const event of session.stream(message)) await stream.writeSSE({ event: event.type, data: JSON.stringify(event) })
    })
  })
  return { app, close: () => agent.shutdown() }
}
