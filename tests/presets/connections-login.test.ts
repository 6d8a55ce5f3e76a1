import { HttpApp } from '@amodal/plugin-http/tokens'
import { LOCAL_IDENTITY } from '@amodal/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { agentFolder } from '../support/agent-folder.ts'
import { runCommand as amodal } from '../support/command.ts'
import { guardedServer } from '../support/guarded-mcp-server.ts'
import { explainStart, startFolder } from '@amodal/presets'

const LONG = 120_000

/** What a server of this folder says of the connection, once it has tried to connect. */
async function inspected(dir: string): Promise<unknown> {
  const started = await startFolder({ dir, env: { LOG_LEVEL: 'none' }, preset: 'dev', port: 0 })
  if (!started.ok) throw new Error(explainStart(started.error))
  const { kernel, close } = started.value
  const ask = async (): Promise<Record<string, unknown>> => {
    const answer = await kernel.scope
      .get(HttpApp)
      .fetch(new Request('http://localhost/inspect/mcp/remote'), { identity: LOCAL_IDENTITY })
    return (await answer.json()) as Record<string, unknown>
  }
  try {
    await expect.poll(ask, { timeout: LONG / 2 }).not.toMatchObject({ status: 'connecting' })
    return await ask()
  } finally {
    await close('looked at')
  }
}

test(
  'a login at the command line is kept in the folder, and the next server uses it',
  async () => {
    const server = await guardedServer()
    onTestFinished(() => server.close())
    await using here = await agentFolder({
      'amodal.json': JSON.stringify({
        name: 'tiny',
        models: { main: { provider: 'demo', model: 'demo' } },
      }),
      'connections/remote/spec.json': JSON.stringify({
        protocol: 'mcp',
        transport: 'http',
        url: server.url,
        trust: true,
      }),
    })
    const opened = new Set<string>()
    const signedIn = await amodal(['ops', 'connections', 'login', 'remote', '--dir', here.dir], {
      onOutput: (out) => {
        // the browser of whoever reads the address
        const address = /^https?:\/\/\S+authorize\S+$/m.exec(out)?.[0]
        if (address === undefined || opened.has(address)) return
        opened.add(address)
        void fetch(address)
      },
    })
    expect(signedIn.err).toBe('')
    expect(signedIn.out).toContain('You are signed in to "remote", with read.')
    for (const token of server.tokens) expect(signedIn.out).not.toContain(token)

    expect(await inspected(here.dir)).toMatchObject({
      status: 'ready',
      authorization: { status: 'signed_in', lasting: true },
    })
    // a check starts no database, and so knows of no login
    const checked = await amodal(['validate', '--dir', here.dir])
    expect(checked.code).toBe(0)
    expect(checked.out).toContain('wants somebody to sign in, so that no more of it could be tried')

    const out = await amodal(['ops', 'connections', 'logout', 'remote', '--dir', here.dir])
    expect(out.out).toContain('What was given to "remote" is forgotten.')
    expect(await inspected(here.dir)).toMatchObject({
      authorization: { status: 'sign_in_needed' },
    })
    expect(server.grants).toEqual(['authorization_code'])
  },
  LONG,
)
