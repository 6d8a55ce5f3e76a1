import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { assignInEnvFile } from '../src/files/env-file.ts'

async function folder(env?: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-env-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  if (env !== undefined) await writeFile(join(dir, '.env'), env)
  return dir
}

test('one value is written, and all other lines stay', async () => {
  const dir = await folder('# keys\nA=1\nexport B="two"\n\nC=3\n')
  expect(assignInEnvFile(dir, 'B', 'x y').ok).toBe(true)
  expect(assignInEnvFile(dir, 'D', 'plain/value:1').ok).toBe(true)
  expect(assignInEnvFile(dir, 'A', undefined).ok).toBe(true)
  expect(await readFile(join(dir, '.env'), 'utf8')).toBe(
    "# keys\n\nC=3\nB='x y'\nD=plain/value:1\n",
  )
})

test('its owner alone may read the file, and no draft stays behind', async () => {
  const dir = await folder('A=1\n')
  expect(assignInEnvFile(dir, 'B', '2').ok).toBe(true)
  expect((await stat(join(dir, '.env'))).mode & 0o777).toBe(0o600)
  expect(await readdir(dir)).toEqual(['.env'])
})

test('a value of several lines stays on one, and changes no other variable', async () => {
  const dir = await folder('A="one\ntwo"\n')
  expect(assignInEnvFile(dir, 'A', 'x')).toMatchObject({ ok: false })
  expect(assignInEnvFile(dir, 'B', 'x\nC="1"\\').ok).toBe(true)
  expect(await readFile(join(dir, '.env'), 'utf8')).toBe('A="one\ntwo"\nB="x\\nC=\\"1\\"\\\\"\n')
  expect(assignInEnvFile(dir, 'B=1\nD', 'x')).toMatchObject({ ok: false })
  expect(assignInEnvFile(dir, 'D', '\0')).toMatchObject({ ok: false })
})

test('a link is not followed', async () => {
  const dir = await folder()
  await writeFile(join(dir, 'elsewhere'), 'A=1\n')
  await symlink(join(dir, 'elsewhere'), join(dir, '.env'))
  expect(assignInEnvFile(dir, 'A', '2')).toMatchObject({ ok: false })
  expect(await readFile(join(dir, 'elsewhere'), 'utf8')).toBe('A=1\n')
})
