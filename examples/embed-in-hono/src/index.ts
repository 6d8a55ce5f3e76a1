import { serve } from '@hono/node-server'
import { fileURLToPath } from 'node:url'
import { makeApp } from './app.ts'

// A header is no authentication: put your own here.
const whoIs = (request: Request): string | undefined => request.headers.get('x-user') ?? undefined

const { app, close } = await makeApp(
  { repoPath: fileURLToPath(new URL('../../ops-agent', import.meta.url)), env: process.env },
  whoIs,
)
const server = serve({ fetch: app.fetch, port: 3001, hostname: '127.0.0.1' })
process.once('SIGINT', () => {
  server.close()
  void close()
})
