/** Workspaces and versioned tools in the studio. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readLocalToken } from '@amodal/sdk/files'
import { reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { write } from '../security/support/door.ts'
import { findBrowser } from './browser.ts'
import { Studio } from './studio-page.ts'

const run = promisify(execFile)
const found = await findBrowser()
const shots = process.env['AMODAL_SHOTS']

interface Server {
  readonly studio: Studio
  post(path: string, body: object): Promise<Record<string, unknown>>
}

async function open(manifest: object, script: Parameters<typeof Studio.open>[0]['script']) {
  const studio = await Studio.open({ script, entries: [], manifest })
  onTestFinished(() => studio.close())
  const headers = {
    authorization: `Bearer ${readLocalToken(studio.dir) ?? ''}`,
    'content-type': 'application/json',
  }
  const post: Server['post'] = async (path, body) => {
    const response = await fetch(`${studio.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const text = await response.text()
    expect(response.ok, text).toBe(true)
    return JSON.parse(text) as Record<string, unknown>
  }
  return { studio, post }
}

test.skipIf(found === undefined)(
  'the studio shows the files of a workspace, what was changed, and takes a run back',
  async () => {
    const { studio, post } = await open({ workspace: { source: 'knowledge' } }, ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? reply.text('Written.')
        : reply.toolCalls({
            name: 'write',
            arguments: { path: 'a/plan.md', content: 'One\nTwo\n' },
          }),
    )
    await post('/chat/sync', { message: 'Write the plan.' })
    const { page } = await studio.visit('desktop')
    await page.getByRole('link', { name: 'Workspaces' }).click()
    await page.getByRole('link', { name: /^sess_/ }).click()
    const diff = page.locator('[data-widget="file-diff"]', { hasText: 'a/plan.md' })
    await diff.getByText('Two').waitFor()
    await page.getByRole('cell', { name: 'a/plan.md' }).waitFor()
    if (shots !== undefined)
      await page.screenshot({ path: `${shots}/workspace.png`, fullPage: true })
    await page.getByRole('button', { name: 'Take back' }).click()
    await page.getByRole('button', { name: 'Take back' }).click()
    await expect.poll(() => diff.count()).toBe(0)
  },
)

test.skipIf(found === undefined)(
  'the studio shows tools with their versions, and finds invocations',
  async () => {
    const { studio, post } = await open({}, reply.text('Hello.'))
    const clone = join(studio.dir, 'clone')
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: studio.dir,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Anna',
      GIT_AUTHOR_EMAIL: 'anna@example.com',
      GIT_COMMITTER_NAME: 'Anna',
      GIT_COMMITTER_EMAIL: 'anna@example.com',
    }
    const token = readLocalToken(studio.dir) ?? ''
    const remote = `${studio.url.replace('http://', `http://token:${token}@`)}/v1/local/tool/git/tools.git`
    await run('git', ['clone', '--quiet', remote, clone], { env })
    await write(clone, {
      'check_order/tool.json': {
        name: 'check_order',
        description: 'Says where an order is.',
        language: 'python',
        input: { type: 'object', properties: { order: { type: 'integer' } } },
      },
      'check_order/tool.py':
        "async def run_tool(tool_input, metadata, config, conversation, send_status_event, user_variables):\n    if tool_input['order'] == 9:\n        raise ValueError('the depot is closed')\n    return {'status': 'shipped'}\n",
    })
    for (const args of [
      ['add', '--all'],
      ['commit', '--quiet', '--message', 'Add check_order'],
      ['push', '--quiet', 'origin', 'HEAD:main'],
    ])
      await run('git', args, { cwd: clone, env })
    const created = await post('/v1/local/tool', {
      name: 'check_order',
      description: 'Says where an order is.',
    })
    const tool = `/v1/local/tool/${String(created['tool_id'])}`
    await post(`${tool}/version`, { repo: 'team', branch: 'main' })
    const inputs = [7, 9].map((order) => ({
      input_parameters: { order },
      invocation_mode: 'regular',
    }))
    await post(`${tool}/version/1.0.0/invoke`, { inputs })

    const { page } = await studio.visit('desktop')
    await page.getByRole('link', { name: 'Org tools' }).click()
    await page.getByRole('cell', { name: '1.0.0' }).first().waitFor()
    await page.getByRole('link', { name: 'check_order' }).click()
    await page.getByRole('heading', { name: 'Versions' }).waitFor()
    await page.getByText('the depot is closed').waitFor()
    await page.getByText('"status":"shipped"').waitFor()
    if (shots !== undefined) await page.screenshot({ path: `${shots}/tool.png`, fullPage: true })
    await page.getByRole('searchbox', { name: 'Search outputs and errors' }).fill('depot')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByRole('heading', { name: 'Invocations with “depot”' }).waitFor()
    await page.getByText('the depot is closed').waitFor()
    expect(await page.getByText('"status":"shipped"').count()).toBe(0)
    if (shots !== undefined) await page.screenshot({ path: `${shots}/search.png`, fullPage: true })
  },
)
