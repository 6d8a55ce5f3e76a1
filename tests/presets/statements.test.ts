import { startFolder } from '@amodal/presets'
import { Database, definePlugin, unwrap, use } from '@amodal/sdk'
import { reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentFolder } from '../support/agent-folder.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'

let postgres: Postgres
let model: ModelServer
beforeAll(async () => {
  ;[postgres, model] = await Promise.all([
    startPostgres(),
    startModelServer({ script: reply.text('Hello there.') }),
  ])
})
afterAll(async () => {
  await Promise.all([postgres.stop(), model.close()])
})

/** What a statement is about; itself, where that is neither sessions nor the audit log. */
const aboutOf = (sql: string): string =>
  /\baudit_/.test(sql) ? 'audit' : /\bsession/.test(sql) ? 'session' : sql

/**
 * What a server of the production preset asks its database: each round trip, by the table that it
 * is about.
 */
async function production() {
  const asked: string[] = []
  const counter = definePlugin({
    name: 'statement-counter',
    version: '1.0.0',
    decorates: [Database],
    setup({ decorate }) {
      decorate(Database, (inner) => ({
        dialect: inner.dialect,
        exclusive: inner.exclusive,
        run: (statement, signal) => {
          asked.push(aboutOf(statement.sql))
          return inner.run(statement, signal)
        },
        transaction: (work, signal) => {
          asked.push('transaction')
          return inner.transaction(work, signal)
        },
        listen: (channel, heard) => inner.listen(channel, heard),
        notify: (channel, payload, signal) => inner.notify(channel, payload, signal),
        ready: () => inner.ready(),
      }))
    },
  })
  const manifest = {
    name: 'counted',
    models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
  }
  const { dir, remove } = await agentFolder({ 'amodal.json': JSON.stringify(manifest) })
  const started = await startFolder({
    dir,
    env: { DATABASE_URL: await postgres.createDatabase() },
    preset: 'production',
    port: 0,
    logLevel: 'none',
    entries: [use(counter)],
  })
  const { kernel, close } = unwrap(started, (error) => JSON.stringify(error))
  const port = kernel.scope.get(HttpApp).address()?.port ?? 0
  const say = async (session?: string): Promise<string> => {
    const body = JSON.stringify({
      message: 'hi',
      ...(session !== undefined && { session_id: session }),
    })
    const answer = await (
      await fetch(`http://127.0.0.1:${port}/chat/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    ).text()
    expect(answer).toContain('event: done')
    return /"session_id":"([^"]+)"/.exec(answer)?.[1] ?? ''
  }
  return {
    asked,
    say,
    [Symbol.asyncDispose]: async () => {
      await close('test')
      await remove()
    },
  }
}

/** Longer than lines of the audit log wait for each other. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 300)
  })

test('in production a text turn is one accept, one commit, and its lines of the audit log', async () => {
  await using server = await production()
  const session = await server.say()
  await settled()
  server.asked.length = 0
  await server.say(session)
  await settled()
  expect(server.asked.filter((about) => about !== 'audit')).toEqual(['session', 'session'])
  // One statement, or one for the beginning and one for the end where the turn takes longer than
  // lines wait for each other.
  expect(server.asked.length).toBeLessThanOrEqual(4)
  expect(server.asked).toContain('audit')
})

test('turns at the same time share the statements of the audit log', async () => {
  await using server = await production()
  await Promise.all(Array.from({ length: 10 }, () => server.say()))
  await settled()
  server.asked.length = 0
  await Promise.all(Array.from({ length: 40 }, () => server.say()))
  await settled()
  const audit = server.asked.filter((about) => about === 'audit').length
  expect(audit).toBeGreaterThan(0)
  expect(audit).toBeLessThanOrEqual(20)
  expect(server.asked.filter((about) => about !== 'audit').length).toBeLessThanOrEqual(80)
})
