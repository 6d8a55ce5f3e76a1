import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder, load, refused, told } from './support.ts'

const GOOD = { 'knowledge/good.md': 'good' }

describe('the agent folder', () => {
  it('hands on the text of other folders and of extra ones, and nothing else of the root', async () => {
    const dir = await folder({
      'connections/slack/spec.json': '{}',
      'tools/t/handler.ts': 'export {}',
      'pages/logo.png': 'PNG\0\0',
      'skills/a/SKILL.md': '# a\n\nb\n\n## c\nd',
      'skills/a/extra.md': 'more',
      'playbooks/p.md': 'p',
      'src/app.ts': 'x',
      'tools/node_modules/x/index.js': 'x',
      'connections/.DS_Store': 'x',
      'README.md': 'x',
    })
    const paths = async (folders: readonly string[]) =>
      (await load(dir, { folders })).files.map(({ path }) => path)
    expect(await paths([])).toEqual([
      'skills/a/extra.md',
      'connections/slack/spec.json',
      'tools/t/handler.ts',
    ])
    expect(await paths(['playbooks'])).toContain('playbooks/p.md')
  })

  it('gives one hash for equal contents, and another for any change', async () => {
    const files = { 'knowledge/a.md': 'a', 'skills/s.md': 's\n\n- t', 'tools/t.ts': 'x' }
    const { hash } = await load(await folder(files))
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(
      (await load(await folder(Object.fromEntries(Object.entries(files).reverse())))).hash,
    ).toBe(hash)
    expect((await load(await folder({ ...files, 'knowledge/a.md': 'a\r\n' }))).hash).toBe(
      (await load(await folder({ ...files, 'knowledge/a.md': 'a\n' }))).hash,
    )
    for (const change of [
      { 'tools/t.ts': 'y' },
      { 'tools/u.ts': 'x' },
      { 'amodal.json': { name: 'test', version: '2.0.0' } },
    ]) {
      expect((await load(await folder({ ...files, ...change }))).hash).not.toBe(hash)
    }
  })

  it('is frozen to its last leaf', async () => {
    const bundle = await load(
      await folder({
        'stores/a.json': { entity: { key: '{id}', schema: { id: { type: 'string' } } } },
        ...GOOD,
      }),
    )
    const loose = (value: unknown): boolean =>
      typeof value === 'object' &&
      value !== null &&
      (!Object.isFrozen(value) || Object.values(value).some(loose))
    expect(loose(bundle)).toBe(false)
  })

  it('does not follow links that lead out, and follows those that stay', async () => {
    const outside = await folder({ 'secret.md': 'secret' })
    const dir = await folder({ ...GOOD, 'docs/inside.md': 'inside' })
    await symlink(join(outside, 'secret.md'), join(dir, 'knowledge/out.md'))
    await symlink(outside, join(dir, 'skills'))
    await symlink(join(dir, 'docs/inside.md'), join(dir, 'knowledge/in.md'))
    await symlink(join(dir, 'knowledge'), join(dir, 'knowledge/circle'))
    await symlink(join(dir, 'nowhere'), join(dir, 'knowledge/broken.md'))
    const bundle = await load(dir)
    expect(bundle.knowledge.map(({ name }) => name)).toEqual(['good', 'in'])
    expect(JSON.stringify(bundle)).not.toContain('secret"')
    expect(told(bundle.issues)).toEqual([
      'error knowledge/broken.md:- cannot be read (ENOENT) — make it readable',
      'error knowledge/out.md:- the link leads out of the agent folder and is not followed — copy what it leads to into the folder',
      'error skills:- the link leads out of the agent folder and is not followed — copy what it leads to into the folder',
    ])
  })

  it('refuses a manifest that is a link out', async () => {
    const outside = await folder({ 'x.json': { name: 'x' } })
    const dir = await folder({ '.amodal/config.json': { name: 'not this one' } })
    await rm(join(dir, 'amodal.json'))
    await symlink(join(outside, 'x.json'), join(dir, 'amodal.json'))
    expect(await refused(dir)).toMatchObject({
      code: 'UNREADABLE',
      message: expect.stringContaining('leads out'),
    })
  })

  it('leaves out what is too large, no text or no file', async () => {
    const dir = await folder({
      ...GOOD,
      'knowledge/big.md': 'x'.repeat(200),
      'tools/big.ts': 'x'.repeat(200),
      stores: 'not a folder',
    })
    await writeFile(join(dir, 'knowledge/latin.md'), Buffer.from([0x67, 0xfc, 0x6e]))
    const bundle = await load(dir, { maxFileBytes: 100 })
    expect(bundle.knowledge.map(({ name }) => name)).toEqual(['good'])
    expect(told(bundle.issues)).toEqual([
      'error knowledge/big.md:- the file has 200 bytes, more than the 100 allowed, and is left out — split it, or raise `maxFileBytes` of repo-files',
      'error knowledge/latin.md:- the file is not UTF-8 text — save it as UTF-8',
      'error stores:- this is a file, and a folder is expected — make it a folder, or give the file another name',
      'warning tools/big.ts:- the file has 200 bytes, more than the 100 allowed, and is left out — split it, or raise `maxFileBytes` of repo-files',
    ])
  })

  it('hands on evals with their datasets, and tells of those that it leaves out', async () => {
    const dir = await folder({
      'evals/a.md': '# Eval: A',
      'evals/more/b.yaml': 'cases: []',
      'evals/more/rows.csv': 'q',
      'evals/rows.jsonl': '{}',
      'evals/large.jsonl': 'x'.repeat(200),
      'pages/p.md': 'p',
    })
    await writeFile(join(dir, 'evals/latin.csv'), Buffer.from([0x67, 0xfc, 0x6e]))
    const bundle = await load(dir, { maxFileBytes: 100 })
    expect(bundle.files.map(({ path }) => path)).toEqual([
      'evals/a.md',
      'evals/more/b.yaml',
      'evals/more/rows.csv',
      'evals/rows.jsonl',
      'pages/p.md',
    ])
    expect(told(bundle.issues)).toEqual([
      'error evals/large.jsonl:- the file has 200 bytes, more than the 100 allowed, and is left out — split it, or raise `maxFileBytes` of repo-files',
      'error evals/latin.csv:- the file is not UTF-8 text — save it as UTF-8',
    ])
  })

  it('reads so many files and no more', async () => {
    const bundle = await load(
      await folder(Object.fromEntries([1, 2, 3, 4].map((n) => [`knowledge/${n}.md`, 'x']))),
      { maxFiles: 2 },
    )
    expect(bundle.knowledge.map(({ name }) => name)).toEqual(['1', '2'])
    expect(bundle.issues).toMatchObject([
      {
        severity: 'error',
        code: 'TOO_LARGE',
        file: 'knowledge/3.md',
        message: expect.stringContaining('4 files'),
      },
    ])
  })

  it.skipIf(process.getuid?.() === 0)('tells of what may not be read', async () => {
    const dir = await folder({ ...GOOD, 'knowledge/closed.md': 'x', 'skills/a.md': 'x' })
    await chmod(join(dir, 'knowledge/closed.md'), 0)
    await chmod(join(dir, 'skills'), 0)
    const bundle = await load(dir)
    await chmod(join(dir, 'skills'), 0o700)
    expect(bundle.knowledge.map(({ name }) => name)).toEqual(['good'])
    expect(bundle.issues).toMatchObject([
      { code: 'UNREADABLE', file: 'knowledge/closed.md', message: 'cannot be read (EACCES)' },
      { code: 'UNREADABLE', file: 'skills' },
    ])
  })

  it('warns of a folder with a mistyped name', async () => {
    const dir = await folder(GOOD)
    await mkdir(join(dir, 'skill'))
    await mkdir(join(dir, 'src'))
    expect(told((await load(dir)).issues)).toEqual([
      'warning skill:- this folder is not read; did you mean `skills`? — rename it to `skills`',
    ])
  })

  it('gives up when it is told to', async () => {
    expect(await refused(await folder(GOOD), { signal: AbortSignal.abort() })).toMatchObject({
      code: 'TIMEOUT',
    })
  })

  it('is read in a moment', { tags: 'speed' }, async () => {
    const dir = await folder(
      Object.fromEntries(
        Array.from({ length: 30 }, (_, n) => [`knowledge/${n}.md`, `# ${n}\n\ntext`]),
      ),
    )
    await load(dir) // the first one also loads the code
    const times = []
    for (let i = 0; i < 5; i++) {
      const start = performance.now()
      await load(dir)
      times.push(performance.now() - start)
    }
    // 10 ms on a quiet machine
    expect(Math.min(...times)).toBeLessThan(1_000)
  })
})
