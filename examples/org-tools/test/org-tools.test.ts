import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { explainStart, startFolder } from '@amodal/presets'
import { LocalToken } from '@amodal/sdk'
import { reply, startModelServer } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'

const run = promisify(execFile)

/** Pushes the tools of the example, as a person with any git client would. */
async function push(url: string, dir: string): Promise<void> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: dir,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Anna',
    GIT_AUTHOR_EMAIL: 'anna@example.com',
    GIT_COMMITTER_NAME: 'Anna',
    GIT_COMMITTER_EMAIL: 'anna@example.com',
  }
  const clone = join(dir, 'clone')
  await run('git', ['clone', '--quiet', url, clone], { env })
  await cp(join(import.meta.dirname, '../tools'), clone, { recursive: true })
  for (const args of [
    ['add', '--all'],
    ['commit', '--quiet', '--message', 'Add check_order'],
    ['push', '--quiet', 'origin', 'HEAD:main'],
  ])
    await run('git', args, { cwd: clone, env })
}

test('an agent uses a tool that was pushed and published', async () => {
  const model = await startModelServer({
    script: ({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool')
      return results.length === 0
        ? reply.toolCalls({ name: 'check_order', arguments: { order: 7 } })
        : reply.text('Order 7 is shipped.')
    },
  })
  const dir = await mkdtemp(join(tmpdir(), 'amodal-org-tools-'))
  await cp(join(import.meta.dirname, '../agent'), join(dir, 'agent'), {
    recursive: true,
    filter: (path) => !path.endsWith('.amodal'),
  })
  const env = {
    AMODAL_BASE_URL: model.url,
    AMODAL_MODEL: 'scripted',
    PATH: process.env['PATH'] ?? '',
  }
  const started = await startFolder({ dir: join(dir, 'agent'), env, port: 0, logLevel: 'error' })
  if (!started.ok) throw new Error(explainStart(started.error))
  const { kernel, close } = started.value
  const address = kernel.scope.get(HttpApp).address()
  const token = kernel.scope.get(LocalToken).text() ?? ''
  const host = `${address?.host}:${address?.port}`
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`http://${host}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Record<string, unknown>
  }
  try {
    await push(`http://token:${token}@${host}/v1/local/tool/git/tools.git`, dir)
    const tool = await call('POST', '/v1/local/tool', { name: 'check_order' })
    const version = await call('POST', `/v1/local/tool/${String(tool['tool_id'])}/version`, {
      repo: 'team',
      branch: 'main',
    })
    expect(version).toMatchObject({ version: '1.0.0' })

    const turn = await call('POST', '/chat/sync', { message: 'Where is order 7?' })
    expect(turn).toMatchObject({ response: 'Order 7 is shipped.' })
    const history = await call(
      'GET',
      '/v1/local/tool/invocation?invocation_source_type=conversation',
    )
    expect(history['invocations']).toMatchObject([
      {
        version: '1.0.0',
        conversation_id: turn['session_id'],
        output: { order: 7, status: 'shipped' },
      },
    ])
  } finally {
    await close('test')
    await model.close()
    await rm(dir, { recursive: true, force: true })
  }
})
