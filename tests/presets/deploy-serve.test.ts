/** `amodal deploy serve`, and the commands that ask a server. */

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '@amodal/presets/cli'
import { readLocalToken } from '@amodal/sdk/files'
import { startModelServer } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openDoor } from '../security/support/door.ts'
import { agentFolder } from '../support/agent-folder.ts'
import { runCommand } from '../support/command.ts'
import { filesOf, say, sayVersions, snapshotOf, versions } from '../support/snapshots.ts'

const texts = (files: ReturnType<typeof filesOf>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(files).map(([path, content]) => [
      path,
      typeof content === 'string' ? content : JSON.stringify(content),
    ]),
  )

interface Served {
  readonly url: string
  /** Stops it. @returns its exit code */
  stop(): Promise<number>
}

async function serve(file: string, dir: string): Promise<Served> {
  const over = new AbortController()
  const listening = Promise.withResolvers<string>()
  let out = ''
  const note = (text: string): void => {
    out += text
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(out)?.[0]
    if (url !== undefined) listening.resolve(url)
  }
  const ended = main({
    argv: ['deploy', 'serve', file, '--dir', dir, '--port', '0', '--preset', 'dev'],
    env: { LOG_LEVEL: 'none' },
    signal: over.signal,
    input: (async function* () {
      /* nobody types */
    })(),
    write: note,
    fail: note,
  })
  void ended.then(() => listening.reject(new Error(out)))
  return {
    url: await listening.promise,
    stop: () => {
      over.abort()
      return ended
    },
  }
}

test('a snapshot is served with its files, and data of the folder that it is served in', async () => {
  const model = await startModelServer({ script: sayVersions })
  onTestFinished(() => model.close())
  const folder = await agentFolder({
    ...texts(filesOf('packed')),
    'amodal.json': JSON.stringify({
      name: 'packed',
      models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
    }),
  })
  onTestFinished(() => folder.remove())
  const { id, archive } = await snapshotOf(folder.dir, {})
  const home = await mkdtemp(join(tmpdir(), 'amodal-serve-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const file = join(home, 'agent.tgz')
  await writeFile(file, archive)

  const talk = async (session?: string): Promise<{ session_id: string; response: string }> => {
    const served = await serve(file, home)
    const response = await fetch(`${served.url}/chat/sync`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${readLocalToken(home) ?? ''}`,
      },
      body: JSON.stringify({
        message: 'Which version?',
        ...(session !== undefined && { session_id: session }),
      }),
    })
    const body: unknown = await response.json()
    expect(await served.stop()).toBe(0)
    return body as { session_id: string; response: string } // what the route answers with
  }
  const first = await talk()
  expect(first.response).toBe(versions('packed'))
  const second = await talk(first.session_id)
  expect(second).toMatchObject({ session_id: first.session_id, response: versions('packed') })
  const unpacked = await readdir(join(home, '.amodal', 'deployments'))
  expect(unpacked).toEqual([id])
})

test('a folder is pushed, promoted, listed and rolled back from the command line', async () => {
  const door = await openDoor({ files: filesOf('folder'), script: sayVersions })
  onTestFinished(() => door[Symbol.asyncDispose]())
  const folder = await agentFolder(texts(filesOf('pushed')))
  onTestFinished(() => folder.remove())
  await writeFile(
    join(folder.dir, 'amodal.json'),
    JSON.stringify({
      name: 'door',
      models: {
        main: { provider: 'openai-compatible', model: 'scripted', baseUrl: door.model.url },
      },
    }),
  )
  const amodal = async (...argv: readonly string[]) => {
    const env = { AMODAL_CREDENTIAL: door.token }
    const ran = await runCommand([...argv, '--url', door.url, '--dir', folder.dir], { env })
    expect(ran.err).toBe('')
    return ran.out
  }
  const pushed = await amodal('deploy', 'push')
  expect(pushed).toMatch(/^[0-9a-f]{64} is on the server\.\n$/)
  const short = pushed.slice(0, 12)
  expect(await amodal('deploy', 'list')).toContain(`${short}  door 0.0.0  5 files`)
  expect(await amodal('deploy', 'promote', short)).toBe(`new sessions: ${short}\n`)
  expect((await say(door)).answer).toBe(versions('pushed'))
  const status = await amodal('deploy', 'status')
  expect(status).toContain(`this instance: ${short}`)
  expect(status).toMatch(/local {2}promoted [0-9a-f]{12} \(before: the server's folder\)/)
  expect(await amodal('deploy', 'rollback')).toBe("new sessions: the server's folder\n")
  expect((await say(door)).answer).toBe(versions('folder'))
  const refused = await runCommand(['deploy', 'rollback', '--url', door.url], {
    env: { AMODAL_CREDENTIAL: door.token },
  })
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('NO_EARLIER_DEPLOYMENT')
})
