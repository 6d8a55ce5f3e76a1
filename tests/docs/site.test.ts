import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

test('the site has every page, the API and a search, and no dead link', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', 'docs'], {
    cwd: ROOT,
    maxBuffer: 20_000_000,
  })
  const [, pages, dist = ''] = /(\d+) pages: (\S+)/.exec(stdout) ?? []
  expect(Number(pages)).toBeGreaterThan(500)
  const page = (path: string): Promise<string> => readFile(join(dist, path), 'utf8')
  expect(await page('index.html')).toContain('A runtime for AI agents')
  expect(await page('introduction.html')).toContain('id="an-agent-in-five-minutes"')
  expect(await page('docs/index.html')).toContain('href="./../examples/next-app/"')
  expect(await page('docs/write-an-agent.html')).toContain('Write an agent')
  // who has written a page is nothing to its reader
  expect(await page('plugins/index.html')).not.toContain('node tests/docs/generate.ts')
  expect(await page('plugins/sessions/index.html')).toContain('sessions')
  expect(await page('api/sdk/index/functions/definePlugin.html')).toContain('definePlugin')
  // braces of templates are text, and not expressions of the page
  expect(await page('docs/evals.html')).toContain('{{country}}')
  expect(await page('docs/index.html')).toContain('VPNavBarSearch')
}, 300_000)
