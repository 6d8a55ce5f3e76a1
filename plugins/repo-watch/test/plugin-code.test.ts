import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import loop from '@amodal/plugin-loop'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import { explain, Health, Kernel, unwrap, use } from '@amodal/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { repoWatch } from '../src/index.ts'

/** A server of an agent, with what its watch logs and what its health says. */
async function watched(plugins: readonly unknown[], files: readonly string[]) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'amodal-code-')))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const agent = join(root, 'agent')
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(root, path, '..'), { recursive: true })
    await writeFile(join(root, path), text)
  }
  await write('agent/amodal.json', JSON.stringify({ name: 'watched', plugins }))
  for (const path of files) await write(path, '// 1\n')
  const kernel = unwrap(
    await Kernel.create([
      use(secretsEnv, { env: {}, masterKey: 'memory' }),
      use(repoFiles, { dir: agent }),
      use(loop),
      use(repoWatch, { debounceMs: 20 }),
    ]),
    explain,
  )
  onTestFinished(async () => {
    await kernel.close()
  })
  return { write, problem: () => kernel.current().registry(Health).get('repo-watch')?.()?.problem }
}

test.each<readonly [title: string, item: unknown, file: string, name: string]>([
  ['in a folder of the agent', './plugins/mine.ts', 'agent/plugins/mine.ts', 'plugins/mine.ts'],
  ['with its config', ['./plugins/a.ts', {}], 'agent/plugins/lib/b.ts', 'plugins/lib/b.ts'],
  [
    'of a package around the agent',
    { use: '../dist/index.js' },
    'dist/index.js',
    '../dist/index.js',
  ],
  ['beside amodal.json', './mine.mjs', 'agent/mine.mjs', 'mine.mjs'],
])(
  'an edit of a plugin %s says that it counts from the next start',
  async (_, item, file, name) => {
    const server = await watched([item], [file, 'agent/skills/a.json'])
    expect(server.problem()).toBeUndefined()
    await server.write(file, '// 2\n')
    await expect
      .poll(() => server.problem())
      .toBe(`${name} changed since the start: start the server again to run it`)
  },
)
