import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { assigned } from '../src/repo/env-file.ts'

async function folder(env?: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-env-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  if (env !== undefined) await writeFile(join(dir, '.env'), env)
  return dir
}

test('one value is written, and all other lines stay', async () => {
  const dir = await folder('# keys\nA=1\nexport B="two"\n\nC=3\n')
  expect(assigned(dir, 'B', 'x y').ok).toBe(true)
  expect(assigned(dir, 'D', 'plain/value:1').ok).toBe(true)
  expect(assigned(dir, 'A', undefined).ok).toBe(true)
  expect(await readFile(join(dir, '.env'), 'utf8')).toBe(
    "# keys\n\nC=3\nB='x y'\nD=plain/value:1\n",
  )
})

test('what would change another line is refused', async () => {
  const dir = await folder('A="one\ntwo"\n')
  expect(assigned(dir, 'A', 'x')).toMatchObject({ ok: false })
  expect(assigned(dir, 'B', 'x\nC=1')).toMatchObject({ ok: false })
  expect(await readFile(join(dir, '.env'), 'utf8')).toBe('A="one\ntwo"\n')
})

test('a link is not followed', async () => {
  const dir = await folder()
  await writeFile(join(dir, 'elsewhere'), 'A=1\n')
  await symlink(join(dir, 'elsewhere'), join(dir, '.env'))
  expect(assigned(dir, 'A', '2')).toMatchObject({ ok: false })
  expect(await readFile(join(dir, 'elsewhere'), 'utf8')).toBe('A=1\n')
})
