import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Checkups } from '@amodal/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { ACME, KEYS, served, type Served } from './server.ts'

const signal = AbortSignal.timeout(60_000)

/** A folder for `PATH`: with a `git` that says this of itself, or with none. */
async function path(version: string | undefined): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tool-repos-path-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  if (version === undefined) return folder
  await writeFile(join(folder, 'git'), `#!/bin/sh\necho 'git version ${version}'\n`)
  await chmod(join(folder, 'git'), 0o755)
  return folder
}

const checkup = (server: Served) => {
  const check = server.kernel.current().registry(Checkups).get('tool-repos')
  return check?.(signal)
}

const refs = ({ origin }: Served): Promise<Response> =>
  fetch(`${origin}/v1/acme/tool/git/tools.git/info/refs?service=git-upload-pack`, {
    headers: { authorization: `Bearer ${KEYS.anna}` },
  })

test.each([
  [undefined, 'there is no `git` on the server'],
  ['2.36.6', 'the server has git version 2.36.6, and 2.37 or newer is needed'],
  ['1.99.0', 'the server has git version 1.99.0, and 2.37 or newer is needed'],
])('a server with git %s says so', async (version, message) => {
  await using server = await served({}, { path: await path(version) })
  const response = await refs(server)
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ error: { code: 'REPO_GIT_UNUSABLE' } })
  expect(await server.repos.head(ACME, 'main', signal)).toMatchObject({
    error: {
      code: 'REPO_GIT_UNUSABLE',
      message,
      fix: expect.stringContaining('install git 2.37') as string,
    },
  })
  expect(await checkup(server)).toMatchObject({
    ok: true,
    title: `Repositories of tools: ${message}`,
    lines: [expect.stringContaining('install git 2.37'), expect.stringContaining('no repository')],
  })
  await mkdir(join(server.folder, 'main.git'), { recursive: true })
  expect(await checkup(server)).toMatchObject({
    ok: false,
    lines: [expect.anything(), expect.stringContaining('REPO_GIT_UNUSABLE')],
  })
})

test('git that is installed meanwhile is used without a restart', async () => {
  const folder = await path(undefined)
  await using server = await served({}, { path: folder })
  expect((await refs(server)).status).toBe(503)
  const { PATH = '' } = process.env
  await writeFile(join(folder, 'git'), `#!/bin/sh\nPATH='${PATH}' exec git "$@"\n`)
  await chmod(join(folder, 'git'), 0o755)
  expect((await refs(server)).status).toBe(200)
  expect(await checkup(server)).toMatchObject({
    ok: true,
    title: expect.stringMatching(/^Repositories of tools: git 2\.\d+/) as string,
  })
})
