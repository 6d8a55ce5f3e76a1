import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import toolRepos from '@amodal/plugin-tool-repos'
import { use } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { code, keyOf, project, serving, temporaryFolder } from './support/serving.ts'

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const child = spawn('git', [...args], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: cwd,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'Anna',
      GIT_AUTHOR_EMAIL: 'anna@example.com',
      GIT_COMMITTER_NAME: 'Anna',
      GIT_COMMITTER_EMAIL: 'anna@example.com',
    },
  })
  const [output, errors, exit] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ])
  if (exit !== 0) throw new Error(`git ${args[0]}: ${errors}`)
  return output.trim()
}

test('what was pushed with git is published, and its commit is pinned', async () => {
  const folder = await temporaryFolder()
  const server = await serving({
    repo: 'none',
    plugins: [use(toolRepos, { folder: join(folder, 'repos') })],
  })
  const url = new URL(`/v1/acme/tool/git/tools.git`, server.url)
  url.username = 'token'
  url.password = keyOf('acme')
  await git(folder, 'clone', '--quiet', url.href, 'clone')
  const clone = join(folder, 'clone')
  const push = async (body: string): Promise<string> => {
    for (const [path, content] of Object.entries(project('check_order', code(body)))) {
      await mkdir(dirname(join(clone, path)), { recursive: true })
      await writeFile(join(clone, path), content)
    }
    await git(clone, 'add', '--all')
    await git(clone, 'commit', '--quiet', '--message', 'Change check_order')
    await git(clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/releases/acme')
    return git(clone, 'rev-parse', 'HEAD')
  }
  const first = await push('return "first"')
  const id = await server.tool('check_order')
  const branch = { branch: 'releases/acme' }
  expect((await server.publish(id, branch)).body).toMatchObject({
    version: '1.0.0',
    source: { repo: 'team', branch: 'releases/acme', commit: first },
  })
  const second = await push('return "second"')
  expect((await server.publish(id, branch)).body).toMatchObject({ version: '1.0.1' })
  const tags = await git(clone, 'ls-remote', '--tags', 'origin')
  expect(tags).toContain(`${first}\trefs/tags/tools/check_order/1.0.0`)
  expect(tags).toContain(`${second}\trefs/tags/tools/check_order/1.0.1`)
  expect((await server.invoke(id, '1.0.0', { order: 1 }))[0]?.output).toBe('first')
  expect((await server.invoke(id, '1.0.1', { order: 1 }))[0]?.output).toBe('second')
})
