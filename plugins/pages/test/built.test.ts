import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

const contentOf = async (folder: string): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(folder)).map(
        async (name) => [name, await readFile(join(folder, name), 'utf8')] as const,
      ),
    ),
  )

test('what is built is built from these sources: `node frame/build.ts`', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'amodal-frame-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await promisify(execFile)(process.execPath, [join(ROOT, 'frame/build.ts'), folder])
  expect(await contentOf(join(ROOT, 'built'))).toEqual(await contentOf(folder))
})
