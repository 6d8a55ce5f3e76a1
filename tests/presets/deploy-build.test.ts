/** `amodal deploy build` and what `amodal deploy serve` refuses. */

import { chmod, cp, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { readTarball } from '@amodal/plugin-parts/tokens'
import { expect, onTestFinished, test } from 'vitest'
import { agentFolder } from '../support/agent-folder.ts'
import { runCommand, type Ran } from '../support/command.ts'

const SKILL = `---
name: triage
description: Sorts what comes in.
---

Look at each of them.
`
const FILES = {
  'amodal.json': JSON.stringify({
    name: 'packed',
    version: '1.2.0',
    models: { main: { provider: 'anthropic', model: 'claude-sonnet-5' } },
  }),
  'AGENTS.md': 'You sort things.\n',
  'skills/triage/SKILL.md': SKILL,
  'skills/triage/logo.bin': '\u0000\u0001',
  'knowledge/terms.md': '# Terms\n\nA thing is a thing.\n',
  'tools/count/tool.json': JSON.stringify({
    name: 'count',
    description: 'Counts.',
    parameters: { type: 'object', properties: {} },
  }),
  'tools/count/handler.ts': 'export default async () => ({ count: 1 })\n',
  '.env': 'ANTHROPIC_API_KEY=sk-ant-0123456789012345678901234567890123\n',
  '.git/config': 'secret = "0123456789abcdef"\n',
  '.amodal/data/file': 'data\n',
  'tools/count/node_modules/left/index.js': 'module.exports = 1\n',
  'unrelated/notes.txt': 'nobody reads this\n',
}

async function folderWith(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await agentFolder({ ...FILES, ...files })
  onTestFinished(() => folder.remove())
  return folder.dir
}

async function build(dir: string): Promise<Ran & { readonly file: string }> {
  const file = join(await outside(), 'agent.tgz')
  return { ...(await runCommand(['deploy', 'build', '--output', file, '--dir', dir])), file }
}

async function outside(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-deploy-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

test('equal folders make equal bytes, whenever and wherever they are built', async () => {
  const dir = await folderWith()
  const first = await build(dir)
  expect(first.err).toBe('')
  expect(first.code).toBe(0)
  const copy = join(await outside(), 'elsewhere')
  await cp(dir, copy, { recursive: true })
  await utimes(join(copy, 'AGENTS.md'), new Date(0), new Date(1_000_000_000))
  await chmod(join(copy, 'AGENTS.md'), 0o600)
  const second = await build(copy)
  expect(second.code).toBe(0)
  expect((await readFile(first.file)).equals(await readFile(second.file))).toBe(true)
  await writeFile(join(copy, 'AGENTS.md'), 'You sort other things.\n')
  const third = await build(copy)
  expect(third.out.split('\n')[0]).not.toBe(first.out.split('\n')[0])
})

test('a snapshot has what the server reads, a manifest of it, and nothing else', async () => {
  const { file, out } = await build(await folderWith())
  const read = await readTarball(await readFile(file))
  if (!read.ok) throw new Error(read.error)
  const [manifestFile] = read.value.filter(({ path }) => path === 'snapshot.json')
  const manifest: unknown = JSON.parse(new TextDecoder().decode(manifestFile?.bytes))
  const sha256: unknown = expect.stringMatching(/^[0-9a-f]{64}$/)
  const paths = [
    'AGENTS.md',
    'amodal.json',
    'knowledge/terms.md',
    'skills/triage/SKILL.md',
    'skills/triage/logo.bin',
    'tools/count/handler.ts',
    'tools/count/tool.json',
  ]
  expect(manifest).toEqual({
    format: 1,
    id: out.split('\n')[0],
    agent: { name: 'packed', version: '1.2.0' },
    files: paths.map((path) => ({
      path,
      size: FILES[path as keyof typeof FILES].length, // the paths above are of it
      sha256,
    })),
    bundle: sha256,
    lock: null,
    prompts: { main: sha256 },
    runtime: '0.1.0',
  })
  expect(read.value.map(({ path }) => path)).toEqual([
    ...paths.map((path) => `files/${path}`),
    'snapshot.json',
  ])
})

test('a place that looks like a secret stops it, with its line', async () => {
  const planted = `${SKILL}\nUse ghp_${'a1B2'.repeat(9)} for it.\n`
  const { code, err, file } = await build(await folderWith({ 'skills/triage/SKILL.md': planted }))
  expect(code).toBe(1)
  expect(err).toContain('SNAPSHOT_HOLDS_SECRET: skills/triage/SKILL.md:8 looks like a token')
  await expect(readFile(file)).rejects.toThrow('ENOENT')
})

test('a folder that does not pass validate becomes no snapshot', async () => {
  const { code, err } = await build(await folderWith({ 'stores/bad.json': '{ "name": ' }))
  expect(code).toBe(1)
  expect(err).toContain('SNAPSHOT_REFUSED')
  expect(err).toContain('stores/bad.json:1')
})

test('a plugin outside of the folder becomes no part of a snapshot', async () => {
  const manifest = JSON.stringify({ name: 'packed', plugins: ['../mine.ts'] })
  const { code, err } = await build(await folderWith({ 'amodal.json': manifest }))
  expect(code).toBe(1)
  expect(err).toContain('../mine.ts')
})

test('a file that was changed, added or cut is not served', async () => {
  const { file } = await build(await folderWith())
  const plain = gunzipSync(await readFile(file))
  const changed = Buffer.from(plain)
  changed.write('u sort thongs.', plain.indexOf('u sort things.'))
  const serve = async (bytes: Uint8Array): Promise<Ran> => {
    const dir = await outside()
    await writeFile(join(dir, 'agent.tgz'), bytes)
    return runCommand(['deploy', 'serve', join(dir, 'agent.tgz'), '--dir', dir])
  }
  const tampered = await serve(gzipSync(changed))
  expect(tampered.code).toBe(1)
  expect(tampered.err).toContain('SNAPSHOT_TAMPERED: AGENTS.md has other contents')
  const cut = await serve((await readFile(file)).subarray(0, 300))
  expect(cut.code).toBe(1)
  expect(cut.err).toContain('SNAPSHOT_UNREADABLE')
  expect((await serve(new TextEncoder().encode('no archive'))).err).toContain('SNAPSHOT_UNREADABLE')
})
