import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { manifestPath } from '@amodal/sdk/packages'

test('is that of the nearest node_modules above', async () => {
  const root = await mkdtemp(join(tmpdir(), 'amodal-manifest-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const agent = join(root, 'agents/support')
  const manifest = (folder: string, name: string): string =>
    join(folder, 'node_modules', name, 'package.json')
  for (const path of [
    manifest(root, '@acme/plugin'),
    manifest(root, 'tool'),
    manifest(agent, 'tool'),
  ]) {
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, '{}')
  }
  const from = join(agent, 'amodal.json')
  expect(manifestPath('@acme/plugin', from)).toBe(manifest(root, '@acme/plugin'))
  expect(manifestPath('@acme/plugin/tokens', from)).toBe(manifest(root, '@acme/plugin'))
  expect(manifestPath('tool', from)).toBe(manifest(agent, 'tool'))
  expect(manifestPath('@acme/other', from)).toBeUndefined()
})
