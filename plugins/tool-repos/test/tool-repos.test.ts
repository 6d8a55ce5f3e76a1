import { lstat, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACME, MAIN, served, valueOf, type Served } from './server.ts'

const signal = AbortSignal.timeout(600_000)
const NOWHERE = '0'.repeat(39) + '1'

let server: Served
let clone: string
beforeAll(async () => {
  server = await served({ maxFiles: 5, maxToolBytes: 10_000 })
  clone = await server.clone({
    'check_order/tool.json': '{}',
    'check_order/src/tool.ts': '// $Id$\n',
    'check_order/.gitattributes': '* text=auto ident',
    'send_mail/tool.json': '{}',
    '.hidden/tool.json': '{}',
  })
  await server.done(['update-index', '--chmod=+x', 'check_order/src/tool.ts'], { cwd: clone })
  await push('tools', {})
})
afterAll(() => server[Symbol.asyncDispose]())

/** Commits what is staged on a new branch, and pushes it. */
async function push(branch: string, { from }: { readonly from?: string }): Promise<string> {
  if (from !== undefined)
    await server.done(['checkout', '-q', '-f', '-B', branch, from], { cwd: clone })
  await server.done(['commit', '-q', '--allow-empty', '-m', branch], { cwd: clone })
  await server.done(['push', '-q', 'origin', `HEAD:${branch}`], { cwd: clone })
  return (await server.done(['rev-parse', 'HEAD'], { cwd: clone })).trim()
}

/** A commit with one entry of this mode in a folder `bad`. */
async function entry(branch: string, mode: string, name: string, text: string): Promise<string> {
  await server.done(['checkout', '-q', '-f', '-B', branch, 'origin/main'], { cwd: clone })
  const object =
    mode === '160000'
      ? NOWHERE
      : (await server.done(['hash-object', '-w', '--stdin'], { cwd: clone, input: text })).trim()
  await server.done(['update-index', '--add', '--cacheinfo', `${mode},${object},bad/${name}`], {
    cwd: clone,
  })
  return push(branch, {})
}

let folders = 0
const target = (): string => join(server.work, `out${++folders}`)

describe('a branch', () => {
  test('has a head, of which the folders are listed', async () => {
    const commit = valueOf(await server.repos.head(ACME, 'tools', signal))
    expect(commit).toBe((await server.done(['rev-parse', 'HEAD'], { cwd: clone })).trim())
    expect(valueOf(await server.repos.folders(ACME, commit, signal))).toEqual([
      'check_order',
      'send_mail',
    ])
  })

  test.each([
    'nothing',
    '',
    '-x',
    '--all',
    'a..b',
    'a b',
    'a^{tree}',
    'a:b',
    '../main',
    'x'.repeat(300),
  ])('that is not there, or no name of one: %j', async (name) => {
    expect(await server.repos.head(ACME, name, signal)).toMatchObject({
      ok: false,
      error: { code: 'REPO_BRANCH_NOT_FOUND' },
    })
  })

  test('of one repository is not in another one', async () => {
    expect((await server.repos.head(MAIN, 'tools', signal)).ok).toBe(false)
    const commit = valueOf(await server.repos.head(ACME, 'tools', signal))
    expect(await server.repos.folders(MAIN, commit, signal)).toMatchObject({
      error: { code: 'REPO_COMMIT_NOT_FOUND' },
    })
  })
})

describe('a checkout', () => {
  test('has the bytes of the objects, without filters and attributes', async () => {
    const commit = valueOf(await server.repos.head(ACME, 'tools', signal))
    const to = target()
    const files = valueOf(await server.repos.checkout(ACME, commit, 'check_order', to, signal))
    expect(files).toEqual(['.gitattributes', 'src/tool.ts', 'tool.json'])
    expect(await readFile(join(to, 'src/tool.ts'), 'utf8')).toBe('// $Id$\n')
    expect((await lstat(join(to, 'src/tool.ts'))).mode & 0o111).not.toBe(0)
  })

  test.each([
    ['link', '120000', 'link', '../../../etc/passwd'],
    ['module', '160000', 'module', ''],
    ['backslash', '100644', 'a\\..\\b', 'x'],
    ['control', '100644', 'a\u0001b', 'x'],
    ['huge', '100644', 'huge', 'x'.repeat(10_001)],
  ])('with a %s writes nothing', async (branch, mode, name, text) => {
    const commit = await entry(branch, mode, name, text)
    const to = target()
    expect(await server.repos.checkout(ACME, commit, 'bad', to, signal)).toMatchObject({
      ok: false,
      error: { code: 'REPO_CONTENT_REFUSED', status: 422 },
    })
    await expect(readdir(to)).rejects.toThrow('ENOENT')
  })

  test('of more files than it may have is refused, and of names that differ in case alone', async () => {
    for (const [branch, names] of [
      ['many', ['a', 'b', 'c', 'd', 'e', 'f']],
      ['cases', ['readme', 'README']],
    ] as const) {
      await server.done(['checkout', '-q', '-f', '-B', branch, 'origin/main'], { cwd: clone })
      const object = (
        await server.done(['hash-object', '-w', '--stdin'], { cwd: clone, input: 'x' })
      ).trim()
      for (const name of names)
        await server.done(
          ['update-index', '--add', '--cacheinfo', `100644,${object},bad/${name}`],
          {
            cwd: clone,
          },
        )
      const commit = await push(branch, {})
      expect(await server.repos.checkout(ACME, commit, 'bad', target(), signal)).toMatchObject({
        error: { code: 'REPO_CONTENT_REFUSED' },
      })
    }
  })

  test.each(['nothing', '..', '/etc', 'check_order/..', '', ':(glob)*', 'README.md'])(
    'of no folder: %j',
    async (name) => {
      const commit = valueOf(await server.repos.head(ACME, 'tools', signal))
      expect(await server.repos.checkout(ACME, commit, name, target(), signal)).toMatchObject({
        error: { code: 'REPO_FOLDER_NOT_FOUND' },
      })
    },
  )

  test.each([NOWHERE, 'HEAD', '--help', ''])('of no commit: %j', async (commit) => {
    expect(await server.repos.checkout(ACME, commit, 'send_mail', target(), signal)).toMatchObject({
      error: { code: 'REPO_COMMIT_NOT_FOUND' },
    })
  })

  test('does not write into a folder that is there, or through a link', async () => {
    const commit = valueOf(await server.repos.head(ACME, 'tools', signal))
    const there = target()
    await mkdir(there)
    const link = target()
    await symlink(there, link)
    for (const to of [there, link])
      expect((await server.repos.checkout(ACME, commit, 'send_mail', to, signal)).ok).toBe(false)
    expect(await readdir(there)).toEqual([])
  })
})

describe('a protected tag', () => {
  test('preserves a commit, is created once, and no push changes it', async () => {
    const commit = valueOf(await server.repos.head(ACME, 'tools', signal))
    const other = valueOf(await server.repos.head(ACME, 'main', signal))
    const tag = 'tools/check_order/1.0.0'
    valueOf(await server.repos.pin(ACME, commit, tag, signal))
    valueOf(await server.repos.pin(ACME, commit, tag, signal))
    expect(await server.repos.pin(ACME, other, tag, signal)).toMatchObject({
      error: { code: 'REPO_TAG_TAKEN', status: 409 },
    })
    const refused = [
      `refs/tags/${tag}`,
      'refs/tags/tools/check_order/2.0.0',
      'refs/tags/TOOLS/x',
      'refs/amodal/x',
      'refs/replace/x',
    ]
    const pushed = await server.git(
      ['push', 'origin', ...refused.map((ref) => `+origin/main:${ref}`), ':refs/tags/tools'],
      { cwd: clone },
    )
    expect(pushed.code).not.toBe(0)
    expect(pushed.text.match(/\((?:a protected tag|only branches and tags).*\)/g)).toHaveLength(
      refused.length + 1,
    )
    const deleted = await server.git(['push', 'origin', `:refs/tags/${tag}`], { cwd: clone })
    expect(deleted.text).toContain('a protected tag')
    const listed = await server.done(['ls-remote', '--tags', server.url()])
    expect(listed.trim()).toBe(`${commit}\trefs/tags/${tag}`)
  })

  test('that is refused takes the rest of its push with it', async () => {
    const pushed = await server.git(
      ['push', 'origin', 'origin/main:refs/heads/innocent', 'origin/main:refs/tags/tools/x/1.0.0'],
      { cwd: clone },
    )
    expect(pushed.text).toContain('another ref of this push is refused')
    expect((await server.repos.head(ACME, 'innocent', signal)).ok).toBe(false)
  })

  test('of git itself is refused as well, should the list of refs not be read', async () => {
    const folder = server.folderOf('acme')
    const { settingArguments } = await import('../src/git/git-settings.ts')
    const pushed = await server.git(
      [
        'push',
        `--receive-pack=git ${settingArguments(folder).join(' ').replaceAll('!', '\\!')} receive-pack`,
        folder,
        'origin/main:refs/tags/tools/y/1.0.0',
      ],
      { cwd: clone },
    )
    expect(pushed.code).not.toBe(0)
    expect(pushed.text).toContain('deny updating a hidden ref')
  })

  test('of a shared tool belongs to its tenant, and no client sees it', async () => {
    const commit = valueOf(await server.repos.head(MAIN, 'main', signal))
    const beta = { ...MAIN, tenant: 'beta' } as typeof MAIN
    valueOf(await server.repos.pin(MAIN, commit, 'tools/x/1.0.0', signal))
    valueOf(await server.repos.pin(beta, commit, 'tools/x/1.0.0', signal))
    expect(await server.done(['ls-remote', server.url('anna', 'acme', 'main.git')])).not.toMatch(
      /tools|amodal\//,
    )
  })

  test.each(['check_order/1.0.0', 'tools/../heads/main', 'tools/a b', 'tools/', '-d'])(
    'has no other name: %j',
    async (tag) => {
      const commit = valueOf(await server.repos.head(ACME, 'main', signal))
      expect(await server.repos.pin(ACME, commit, tag, signal)).toMatchObject({
        error: { code: 'VALIDATION_ERROR' },
      })
    },
  )
})
