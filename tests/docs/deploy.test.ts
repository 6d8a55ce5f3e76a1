import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../support/command.ts'
import { ROOT } from './pages.ts'

test('docs/deploy.md has the Dockerfile that `amodal ops docker build` writes', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-deploy-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  await writeFile(join(dir, 'amodal.json'), '{ "name": "my-agent" }')
  expect(await runCommand(['ops', 'docker', 'build', '--dir', dir])).toMatchObject({ code: 0 })
  const page = await readFile(join(ROOT, 'docs/deploy.md'), 'utf8')
  const shown = /^```dockerfile[^\n]*\n([^]*?)^```$/m.exec(page)?.[1]
  expect(shown).toBe(await readFile(join(dir, 'Dockerfile'), 'utf8'))
})
