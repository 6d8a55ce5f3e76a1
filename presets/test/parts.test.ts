import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  entriesOf,
  partsPackage,
  Registry,
  tgzOf,
  type Files,
  type TarEntry,
} from './parts-registry.ts'
import { amodal, folder, type Said, type TerminalOptions } from './support.ts'

const LONG = 60_000
const agent = { 'amodal.json': '{\n  // ours\n  "name": "desk"\n}\n' }
const skillText = (way: string): string => `# Triage\n\nSorts tickets.\n\n## Behavior\n\n${way}\n`
const SKILL = skillText('Sort by urgency.')
const skill = (way = 'Sort by urgency.'): Files => ({ 'skills/triage/SKILL.md': skillText(way) })
const CRM = {
  'connections/crm/spec.json': {
    protocol: 'rest',
    baseUrl: 'https://api.crm.example/v1',
    auth: { type: 'bearer', token: 'env:CRM_TOKEN' },
  },
  'connections/crm/access.json': {
    endpoints: { 'GET /deals/{id}': 'allow', 'DELETE /deals/{id}': 'never' },
  },
}

let registry: Registry
let scratch = ''
beforeAll(async () => {
  registry = await Registry.start()
  scratch = await mkdtemp(join(tmpdir(), 'amodal-parts-'))
})
afterAll(async () => {
  await registry[Symbol.asyncDispose]()
  await rm(scratch, { recursive: true, force: true })
})

interface Desk {
  readonly dir: string
  pkg(...words: readonly string[]): Promise<Said>
  run(argv: readonly string[], options?: TerminalOptions): Promise<Said>
  text(path: string): Promise<string>
  lock(): Promise<Lock>
  /** All files below the folder with their texts, but for drafts and records of changes. */
  tree(): Promise<Readonly<Record<string, string>>>
}

interface Lock {
  readonly packages?: Readonly<
    Record<
      string,
      {
        readonly version: string
        readonly tree: string
        readonly integrity?: string
        readonly commit?: string
        readonly capabilities: Readonly<Record<string, readonly string[]>>
      }
    >
  >
}

/** An agent folder, and a command line that knows the registry. */
async function desk(files: Files = {}): Promise<Desk> {
  const here = await folder({ ...agent, ...files })
  onTestFinished(() => here[Symbol.asyncDispose]())
  const cache = await mkdtemp(join(scratch, 'cache-'))
  const { dir } = here
  const run: Desk['run'] = (argv, options = {}) =>
    amodal([...argv, '--dir', dir], { ...options, env: { ...registry.env(cache), ...options.env } })
  return {
    dir,
    run,
    pkg: (...words) => run(['pkg', ...words]),
    text: (path) => readFile(join(dir, path), 'utf8'),
    lock: async () => JSON.parse(await readFile(join(dir, 'amodal.lock'), 'utf8')) as Lock,
    tree: () => treeOf(dir),
  }
}

async function treeOf(dir: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
      .filter((path) => !path.startsWith('.amodal/admin'))
      .map(async (path) => [path, await readFile(join(dir, path), 'utf8')] as const),
  )
  return Object.fromEntries(files.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

async function write(dir: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  return dir
}

const source = async (files: Readonly<Record<string, string>>): Promise<string> =>
  write(await mkdtemp(join(scratch, 'source-')), files)

describe('pkg install', () => {
  test('takes a folder, and the agent has its parts', async () => {
    const from = await source(partsPackage('@acme/triage', '1.2.0', skill()))
    const here = await desk()
    const installed = await here.pkg('install', from, '--yes')
    expect(installed).toMatchObject({ code: 0, err: '' })
    expect(installed.out).toContain('+ @acme/triage 1.2.0')
    expect(installed.out).toContain('skills/triage/SKILL.md')
    expect(await here.text('amodal.json')).toContain('// ours')
    expect(await here.text('amodal.json')).toContain('"@acme/triage"')
    const { packages } = await here.lock()
    expect(packages?.['@acme/triage']).toMatchObject({
      version: '1.2.0',
      tree: expect.stringMatching(/^sha256-[0-9a-f]{64}$/) as string,
      integrity: expect.stringMatching(/^sha512-/) as string,
    })
    const checked = await here.run(['validate', '--skip-test'])
    expect(checked).toMatchObject({ code: 0 })
    expect(checked.out).toContain('1 skill')
    expect((await here.pkg('why', 'skills/triage/SKILL.md')).out).toMatch(
      /skills\.triage comes from @acme\/triage 1\.2\.0 \(amodal\.json names it\)/,
    )
    expect((await here.pkg('list')).out).toContain('@acme/triage 1.2.0')
  })

  test('takes a tarball and a name of the registry', async () => {
    const file = join(scratch, 'notes.tgz')
    await writeFile(
      file,
      tgzOf(entriesOf(partsPackage('notes', '1.0.0', { 'knowledge/eu.md': '# EU\n\nRules.\n' }))),
    )
    registry.publish('acme-triage', '1.0.0', skill())
    const here = await desk()
    expect(await here.pkg('install', file, '--yes')).toMatchObject({ code: 0 })
    expect(await here.pkg('install', 'acme-triage', '--yes')).toMatchObject({ code: 0 })
    const checked = await here.run(['validate', '--skip-test'])
    expect(checked.out).toContain('1 skill, 1 knowledge document')
  })

  test('asks, and writes nothing without a yes', async () => {
    registry.publish('crm-parts', '1.0.0', CRM)
    const here = await desk()
    const before = await here.tree()
    const alone = await here.pkg('install', 'crm-parts')
    expect(alone).toMatchObject({ code: 1 })
    expect(alone.err).toContain('PARTS_NOT_ACCEPTED')
    expect(alone.out).toContain('sends requests to api.crm.example')
    expect(alone.out).toContain('reads the variables CRM_TOKEN')
    const no = await here.run(['pkg', 'install', 'crm-parts'], { interactive: true, lines: ['n'] })
    expect(no.err).toContain('PARTS_NOT_ACCEPTED')
    expect(await here.tree()).toEqual(before)
    const yes = await here.run(['pkg', 'install', 'crm-parts'], { interactive: true, lines: ['y'] })
    expect(yes).toMatchObject({ code: 0 })
    expect((await here.lock()).packages?.['crm-parts']?.capabilities).toEqual({
      connections: ['crm'],
      hosts: ['api.crm.example'],
      tools: [],
      secrets: ['CRM_TOKEN'],
      effects: ['write'],
    })
  })

  test('runs no script', async () => {
    registry.publish('scripted', '1.0.0', skill(), {
      scripts: { postinstall: `node -e "require('fs').writeFileSync('${scratch}/ran', '')"` },
    })
    const here = await desk()
    const { code, out } = await here.pkg('install', 'scripted', '--yes')
    expect([code, existsSync(join(scratch, 'ran'))]).toEqual([0, false])
    expect(out).toContain('not run     the scripts postinstall')
  })

  const MANIFEST: TarEntry = {
    path: 'package/package.json',
    text: partsPackage('odd', '1.0.0', {})['package.json'] ?? '',
  }
  const part: TarEntry = { path: 'package/skills/a.md', text: SKILL }
  test.each<readonly [string, readonly TarEntry[], RegExp]>([
    ['a symbolic link', [{ path: 'package/skills/b.md', type: '2', link: '/etc/passwd' }], /links/],
    ['a hard link', [{ path: 'package/skills/b.md', type: '1', link: 'package/x' }], /links/],
    ['a device', [{ path: 'package/skills/b.md', type: '3' }], /links and devices/],
    ['an absolute path', [{ path: '/skills/b.md' }], /leads out of the package/],
    ['dots', [{ path: 'package/../../skills/b.md' }], /leads out of the package/],
    ['dots below', [{ path: 'package/skills/../../b.md' }], /leads out of the package/],
    ['a backslash', [{ path: 'package/skills\\b.md' }], /paths may not have/],
    ['two names of one file', [{ path: 'package/skills/A.md' }], /the same file/],
    ['a guard', [{ path: 'package/hooks/x/hook.json' }], /guards are code of the agent/],
    ['roles', [{ path: 'package/roles/x.json' }], /roles are the agent's own/],
    ['a main agent', [{ path: 'package/agents/main/AGENT.md' }], /the main agent is/],
    ['values of variables', [{ path: 'package/.env', text: 'A=b' }], /variables belong/],
  ])('refuses a tarball with %s', async (_, entries, message) => {
    const file = join(scratch, 'odd.tgz')
    await writeFile(file, tgzOf([MANIFEST, part, ...entries]))
    const here = await desk()
    const before = await here.tree()
    const { code, err } = await here.pkg('install', file, '--yes')
    expect(code).toBe(1)
    expect(err).toContain('PARTS_REFUSED')
    expect(err).toMatch(message)
    expect(await here.tree()).toEqual(before)
  })

  test('refuses a tarball that grows without end', async () => {
    const file = join(scratch, 'bomb.tgz')
    await writeFile(
      file,
      tgzOf([MANIFEST, { path: 'package/skills/a.md', text: ' '.repeat(64 * 1024 * 1024) }]),
    )
    const here = await desk()
    const { code, err } = await here.pkg('install', file, '--yes')
    expect([code, err]).toEqual([1, expect.stringContaining('PARTS_REFUSED')])
  })

  test.each<readonly [string, object, string]>([
    ['is no package of parts', { keywords: [] }, 'lacks "amodal-parts"'],
    ['is a plugin', { keywords: [], amodal: { plugin: 'x' } }, 'amodal plugins add'],
    ['has no version', { version: 'newest' }, 'is no semantic version'],
    ['has another name', { name: '../x' }, 'is no package name'],
  ])('refuses what %s', async (_, more, message) => {
    const from = await source(partsPackage('odd', '1.0.0', skill(), more))
    const { code, err } = await (await desk()).pkg('install', from, '--yes')
    expect([code, err]).toEqual([1, expect.stringContaining(message)])
  })

  test('refuses a package that does more than it declares', async () => {
    const capabilities = { connections: ['crm'], hosts: ['api.crm.example'], effects: ['write'] }
    registry.publish('quiet', '1.0.0', CRM, { amodal: { capabilities } })
    const here = await desk()
    const { code, err } = await here.pkg('install', 'quiet', '--yes')
    expect(code).toBe(1)
    expect(err).toContain('PARTS_UNDECLARED')
    expect(err).toContain('reads the variables CRM_TOKEN')
  })

  test('refuses a version without an integrity, and a tarball that is another', async () => {
    registry.publish('bare', '1.0.0', skill()).integrity = undefined
    const swapped = registry.publish('swapped', '1.0.0', skill())
    swapped.tarball = tgzOf(entriesOf(partsPackage('swapped', '1.0.0', skill('Text.'))))
    const here = await desk()
    const bare = await here.pkg('install', 'bare', '--yes')
    expect([bare.code, bare.err]).toEqual([1, expect.stringContaining('has no integrity')])
    const other = await here.pkg('install', 'swapped', '--yes')
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('PARTS_TAMPERED')])
    expect(existsSync(join(here.dir, 'amodal.lock'))).toBe(false)
  })

  test.each([
    [['install', 'a', 'b'], 2, 'Name one source'],
    [['install', '--frozen', 'a'], 2, 'leave SOURCE out'],
    [['install', 'none-such'], 1, 'PARTS_NOT_FOUND'],
    [['install', './none'], 1, 'there is no'],
    [['install', 'https://x.example/a.tgz'], 1, 'is no source'],
    [['uninstall', 'none'], 1, 'names no package none'],
    [['why', 'skills/none.md'], 1, 'nothing here is called'],
  ])('%j fails', async (words, code, message) => {
    const said = await (await desk()).pkg(...words)
    expect(said.code).toBe(code)
    expect(said.err).toContain(message)
  })
})

describe('what stands in the folder', () => {
  test('counts in place of a part of a package', async () => {
    const from = await source(partsPackage('parts', '1.0.0', { ...skill(), ...CRM }))
    const here = await desk({ 'skills/triage/SKILL.md': skillText('Our way.') })
    const { out } = await here.pkg('install', from, '--yes')
    expect(out).toContain("skills.triage stays the agent folder's own")
    expect((await here.pkg('why', 'skills/triage/SKILL.md')).out).toContain('which counts')
  })

  test('makes access rules stricter, never looser, and shows it', async () => {
    const from = await source(partsPackage('parts', '1.0.0', CRM))
    const here = await desk({
      'connections/crm/access.json': {
        endpoints: { 'DELETE /deals/{id}': 'allow', 'GET /deals/{id}': 'review' },
      },
    })
    const { out } = await here.pkg('install', from, '--yes')
    expect(out).toMatch(/^ +- +"confirm": "allow"$/m)
    expect(out).toMatch(/^ +\+ +"confirm": "never"$/m)
    const types = await here.run(['inspect', '--json'], { env: { CRM_TOKEN: 'x' } })
    expect(types.code).toBe(0)
  })

  test('two packages with one part are refused, and `use` settles it', async () => {
    const one = await source(
      partsPackage('one', '1.0.0', { ...skill(), 'knowledge/a.md': '# A\n\nx\n' }),
    )
    const two = await source(partsPackage('two', '1.0.0', skill('Other.')))
    const here = await desk()
    await here.pkg('install', one, '--yes')
    const before = await here.tree()
    const refused = await here.pkg('install', two, '--yes')
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('one and two both bring skills.triage')
    expect(await here.tree()).toEqual(before)
    await writeFile(
      join(here.dir, 'amodal.json'),
      '{"name": "desk", "packages": [{ "package": "one", "use": ["knowledge.*"] }]}',
    )
    expect(await here.pkg('install', two, '--yes')).toMatchObject({ code: 0 })
    expect((await here.run(['validate', '--skip-test'])).out).toContain('1 skill, 1 knowledge')
  })

  test('a part that `use` names and that is not there is an error with its line', async () => {
    const from = await source(partsPackage('one', '1.0.0', skill()))
    const here = await desk()
    await here.pkg('install', from, '--yes')
    await writeFile(
      join(here.dir, 'amodal.json'),
      '{\n"name": "desk",\n"packages": [{ "package": "one", "use": ["skills.none"] }]\n}',
    )
    const { code, out } = await here.run(['validate', '--skip-test'])
    expect(code).toBe(1)
    expect(out).toContain(
      'amodal.json:3  one brings no part "skills.none" — use one of: skills.triage',
    )
  })
})

describe('a package that is not what the lock has', () => {
  async function installed(): Promise<Desk> {
    registry.publish('locked', '1.0.0', skill())
    const here = await desk()
    expect(await here.pkg('install', 'locked', '--yes')).toMatchObject({ code: 0 })
    return here
  }
  const storedIn = async (here: Desk): Promise<string> => {
    const [name = ''] = await readdir(join(here.dir, '.amodal/packages'))
    return join(here.dir, '.amodal/packages', name)
  }

  test('is refused where a file was changed, and restored', async () => {
    const here = await installed()
    await writeFile(join(await storedIn(here), 'skills/triage/SKILL.md'), skillText('Obey.'))
    const { code, out } = await here.run(['validate', '--skip-test'])
    expect(code).toBe(1)
    expect(out).toMatch(
      /amodal\.lock:\d+ {2}files of locked in .* are not those of version 1\.0\.0/,
    )
    expect((await here.run(['chat', 'hello'])).code).toBe(1)
    expect(await here.pkg('install', '--frozen')).toMatchObject({ code: 0 })
    expect((await here.run(['validate', '--skip-test'])).code).toBe(0)
  })

  test('is refused where a file was added', async () => {
    const here = await installed()
    await write(await storedIn(here), { 'skills/more.md': '# More\n\nText.\n' })
    expect((await here.run(['validate', '--skip-test'])).code).toBe(1)
  })

  test('is refused where it is missing, and restored from the registry', async () => {
    const here = await installed()
    await rm(join(here.dir, '.amodal'), { recursive: true })
    const { code, out } = await here.run(['validate', '--skip-test'])
    expect(code).toBe(1)
    expect(out).toContain('run `amodal pkg install`')
    expect(await here.pkg('install')).toMatchObject({ code: 0 })
    expect((await here.run(['validate', '--skip-test'])).code).toBe(0)
  })

  test.each<readonly [string, (text: string) => string, RegExp]>([
    ['has no integrity', (text) => text.replace(/ *"integrity": "[^"]*",\n/, ''), /`integrity`/],
    ['has another hash', (text) => text.replace(/sha256-\w{4}/, 'sha256-0000'), /locked/],
    [
      'has fewer capabilities than the files use',
      (text) => text.replace(/"effects": \[[^\]]*\]/, '"effects": []'),
      /does more than was accepted/,
    ],
  ])('is refused where the lock %s', async (name, change, message) => {
    registry.publish('crm-locked', '1.0.0', CRM)
    const here = await desk()
    await here.pkg('install', 'crm-locked', '--yes')
    const text = await here.text('amodal.lock')
    await writeFile(join(here.dir, 'amodal.lock'), change(text))
    expect(await here.text('amodal.lock'), name).not.toBe(text)
    const { code, out } = await here.run(['validate', '--skip-test'])
    expect(code).toBe(1)
    expect(out).toMatch(/amodal\.lock:\d+/)
    expect(out).toMatch(message)
  })

  test('is refused where the lock is not there', async () => {
    const here = await installed()
    await rm(join(here.dir, 'amodal.lock'))
    const { code, out } = await here.run(['validate', '--skip-test'])
    expect(code).toBe(1)
    expect(out).toContain('there is no amodal.lock')
    expect((await here.pkg('install', '--frozen')).err).toContain('PARTS_NOT_LOCKED')
  })

  test('a frozen install takes other bytes from nobody', async () => {
    const here = await installed()
    await rm(join(here.dir, '.amodal'), { recursive: true })
    const version = registry.publish('locked', '1.0.0', skill('Obey.'))
    expect(version.integrity).not.toBe((await here.lock()).packages?.['locked']?.integrity)
    const other = await amodal(['pkg', 'install', '--frozen', '--dir', here.dir], {
      env: registry.env(await mkdtemp(join(scratch, 'cache-'))),
    })
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('PARTS_TAMPERED')])
  })
})

describe('dependencies', () => {
  test(
    'come along, 50 deep, and go with what needs them',
    async () => {
      for (let at = 0; at < 50; at++)
        registry.publish(
          `deep-${at}`,
          '1.0.0',
          { [`knowledge/k${at}.md`]: `# K${at}\n\nText.\n` },
          at === 49 ? {} : { dependencies: { [`deep-${at + 1}`]: '^1.0.0' } },
        )
      const here = await desk()
      expect(await here.pkg('install', 'deep-0', '--yes')).toMatchObject({ code: 0 })
      expect((await here.run(['validate', '--skip-test'])).out).toContain('50 knowledge documents')
      expect((await here.pkg('why', 'knowledge.k7')).out).toContain('(deep-6 needs it)')
      expect(await here.pkg('install', '--frozen')).toMatchObject({ code: 0 })
      expect(await here.pkg('uninstall', 'deep-0')).toMatchObject({ code: 0 })
      expect(await here.text('amodal.json')).toBe(agent['amodal.json'])
      expect((await here.lock()).packages).toBeUndefined()
      expect(await readdir(join(here.dir, '.amodal/packages'))).toEqual([])
    },
    LONG,
  )

  test('in a circle are refused by their names', async () => {
    registry.publish(
      'ring-a',
      '1.0.0',
      { 'knowledge/a.md': '# A\n\nx\n' },
      { dependencies: { 'ring-b': '1' } },
    )
    registry.publish(
      'ring-b',
      '1.0.0',
      { 'knowledge/b.md': '# B\n\nx\n' },
      { dependencies: { 'ring-a': '1' } },
    )
    const here = await desk()
    const { code, err } = await here.pkg('install', 'ring-a', '--yes')
    expect(code).toBe(1)
    expect(err).toContain('PARTS_CYCLE')
    expect(err).toContain('ring-a → ring-b → ring-a')
  })

  test('agree on one version, or are refused', async () => {
    const note = (name: string): Files => ({ [`knowledge/${name}.md`]: `# ${name}\n\nText.\n` })
    registry.publish('base', '1.0.0', note('base'))
    registry.publish('base', '1.4.0', note('base'))
    registry.publish('base', '2.0.0', note('base'))
    registry.publish('needs-1', '1.0.0', note('one'), { dependencies: { base: '^1.0.0' } })
    registry.publish('needs-12', '1.0.0', note('two'), { dependencies: { base: '>=1.2.0' } })
    registry.publish('needs-2', '1.0.0', note('three'), { dependencies: { base: '^2.0.0' } })
    const here = await desk()
    await here.pkg('install', 'needs-1', '--yes')
    expect(await here.pkg('install', 'needs-12', '--yes')).toMatchObject({ code: 0 })
    expect((await here.lock()).packages?.['base']?.version).toBe('1.4.0')
    const before = await here.tree()
    const { code, err } = await here.pkg('install', 'needs-2', '--yes')
    expect(code).toBe(1)
    expect(err).toContain('PARTS_CONFLICT')
    expect(err).toContain('needs-1@1.0.0 wants base@^1.0.0')
    expect(await here.tree()).toEqual(before)
  })

  test('that are libraries are not installed', async () => {
    registry.publish('library', '1.0.0', {}, { keywords: [] })
    registry.publish('with-library', '1.0.0', skill(), { dependencies: { library: '^1.0.0' } })
    const here = await desk()
    const { code, out } = await here.pkg('install', 'with-library', '--yes')
    expect(code).toBe(0)
    expect(out).toContain('with-library@1.0.0 needs library, which is no package of parts')
    expect((await here.run(['validate', '--skip-test'])).code).toBe(0)
    expect(await here.pkg('install', '--frozen')).toMatchObject({ code: 0 })
  })
})

describe('pkg update', () => {
  test('shows what changes, and asks where it reaches more', async () => {
    registry.publish('growing', '1.0.0', skill())
    const here = await desk()
    await here.pkg('install', 'growing', '--yes')
    registry.publish('growing', '1.1.0', skill('Sort by date.'))
    const shown = await here.pkg('diff', 'growing')
    expect(shown.out).toContain('-Sort by urgency.')
    expect(shown.out).toContain('+Sort by date.')
    expect((await here.lock()).packages?.['growing']?.version).toBe('1.0.0')
    // It reaches nothing more: nobody has to be asked.
    expect(await here.pkg('update', 'growing')).toMatchObject({ code: 0 })
    expect((await here.lock()).packages?.['growing']?.version).toBe('1.1.0')

    registry.publish('growing', '1.2.0', { ...skill(), ...CRM })
    const before = await here.tree()
    const refused = await here.pkg('update')
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('PARTS_NOT_ACCEPTED')
    expect(refused.out).toContain('+ it sends requests to api.crm.example')
    expect(await here.tree()).toEqual(before)
    expect(await here.pkg('update', '--yes')).toMatchObject({ code: 0 })
    expect((await here.lock()).packages?.['growing']?.version).toBe('1.2.0')
    // The files of before are not there any more.
    expect(await readdir(join(here.dir, '.amodal/packages'))).toHaveLength(1)
    expect((await here.pkg('update')).out).toContain('All packages are as amodal.lock has them')
  })

  test('stays in the range that was asked for', async () => {
    registry.publish('ranged', '1.0.0', skill())
    const here = await desk()
    await here.pkg('install', 'ranged@^1.0.0', '--yes')
    registry.publish('ranged', '1.0.1', skill('New.'))
    registry.publish('ranged', '2.0.0', skill('Newer.'))
    await here.pkg('update')
    expect((await here.lock()).packages?.['ranged']?.version).toBe('1.0.1')
  })
})

test('a change that was begun when a process was killed is finished', async () => {
  registry.publish('cut', '1.0.0', skill())
  const here = await desk()
  await here.pkg('install', 'cut', '--yes')
  const before = await here.tree()
  registry.publish('cut', '2.0.0', { ...skill('Sort by name.'), 'knowledge/a.md': '# A\n\nx\n' })
  await here.pkg('install', 'cut', '--yes')
  const after = await here.tree()
  // As it stands once the files of the new version and the intent are written, and nothing else.
  await write(here.dir, before)
  const texts = ['amodal.json', 'amodal.lock'].map((path) => ({
    path,
    before: before[path] ?? null,
    after: after[path] ?? null,
  }))
  const intent = { id: 'x-1', session: 'pkg', principal: 'command line', at: 1, files: texts }
  await write(here.dir, { '.amodal/admin/intent.json': JSON.stringify(intent) })
  expect((await here.run(['validate', '--skip-test'])).out).toContain('1 skill, 1 knowledge')
  expect((await here.lock()).packages?.['cut']?.version).toBe('2.0.0')
  expect(await here.pkg('install', '--frozen')).toMatchObject({ code: 0 })
})

describe('pkg link', () => {
  test('reads the folder as it is, warns, and holds it to what was accepted', async () => {
    const from = await source(partsPackage('linked', '1.0.0', skill()))
    const here = await desk()
    expect(await here.pkg('link', from, '--yes')).toMatchObject({ code: 0 })
    await write(from, { 'knowledge/a.md': '# A\n\nx\n' })
    const checked = await here.run(['validate', '--skip-test'])
    expect(checked).toMatchObject({ code: 0 })
    expect(checked.out).toContain('1 skill, 1 knowledge')
    expect(checked.out).toContain('linked is a link to a folder')
    const frozen = await here.pkg('install', '--frozen')
    expect([frozen.code, frozen.err]).toEqual([1, expect.stringContaining('is a link')])
    await write(from, {
      'connections/crm/spec.json': JSON.stringify(CRM['connections/crm/spec.json']),
    })
    const wider = await here.run(['validate', '--skip-test'])
    expect([wider.code, wider.out]).toEqual([
      1,
      expect.stringContaining('linked does more than was accepted'),
    ])
    expect((await here.pkg('link', from)).err).toContain('PARTS_NOT_ACCEPTED')
    expect(await here.pkg('link', from, '--yes')).toMatchObject({ code: 0 })
    expect((await here.run(['validate', '--skip-test'])).code).toBe(0)
    // Installed, it is no link any more.
    expect(await here.pkg('install', from, '--yes')).toMatchObject({ code: 0 })
    expect(await here.pkg('install', '--frozen')).toMatchObject({ code: 0 })
  })
})

describe('a source of git', () => {
  const run = promisify(execFile)

  async function repository(files: Readonly<Record<string, string>>) {
    const dir = await source(files)
    const git = async (...args: readonly string[]): Promise<string> => {
      const who = ['-c', 'user.name=A', '-c', 'user.email=a@a.example']
      const { stdout } = await run('git', [...who, ...args], { cwd: dir })
      return stdout.trim()
    }
    const commit = async (): Promise<string> => {
      await git('add', '--all')
      await git('commit', '--quiet', '--message', 'x')
      return git('rev-parse', 'HEAD')
    }
    await git('init', '--quiet', '--initial-branch', 'main')
    return { dir, url: `git+file://${dir}`, git, commit, first: await commit() }
  }

  test('is pinned to a commit, and moves with an update alone', async () => {
    const repo = await repository(partsPackage('from-git', '1.0.0', skill()))
    const here = await desk()
    const PATH = process.env['PATH'] ?? ''
    const pkg = (...words: readonly string[]) => here.run(['pkg', ...words], { env: { PATH } })
    expect(await pkg('install', `${repo.url}#main`, '--yes')).toMatchObject({ code: 0, err: '' })
    const locked = await here.lock()
    expect(locked.packages?.['from-git']).toMatchObject({ commit: repo.first })
    await write(repo.dir, partsPackage('from-git', '1.1.0', skill('Sort by date.')))
    const second = await repo.commit()
    await rm(join(here.dir, '.amodal'), { recursive: true })
    expect(await pkg('install', '--frozen')).toMatchObject({ code: 0, err: '' })
    expect(await here.lock()).toEqual(locked)
    expect((await pkg('diff')).out).toContain('+Sort by date.')
    expect(await pkg('update')).toMatchObject({ code: 0 })
    expect((await here.lock()).packages?.['from-git']).toMatchObject({
      commit: second,
      version: '1.1.0',
    })
  })

  test('with a link is refused', async () => {
    const repo = await repository(partsPackage('from-git', '1.0.0', skill()))
    await symlink('/etc/passwd', join(repo.dir, 'skills/b.md'))
    await repo.commit()
    const here = await desk()
    const PATH = process.env['PATH'] ?? ''
    const refused = await here.run(['pkg', 'install', repo.url, '--yes'], { env: { PATH } })
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('links and devices')])
  })

  test.each([
    ['git+ssh://x.example/a.git', 'is no address of git'],
    ['git+https://me:secret@x.example/a.git', 'is no address of git'],
    ['git+ext::sh -c touch% /x', 'is no address of git'],
    ['git+file:///none#--upload-pack=x', 'is no branch, tag or commit'],
  ])('%s is refused', async (from, message) => {
    const { code, err } = await (await desk()).pkg('install', from)
    expect([code, err]).toEqual([1, expect.stringContaining(message)])
  })
})

describe('settings of npm', () => {
  test('name the registry of a scope, and the token for it', async () => {
    registry.publish('@scoped/parts', '1.0.0', skill())
    const here = await desk({ '.npmrc': `@scoped:registry=${registry.url}\n${registry.auth}\n` })
    const env = { npm_config_registry: 'http://127.0.0.1:9' }
    const done = await here.run(['pkg', 'install', '@scoped/parts', '--yes'], { env })
    expect(done, done.err).toMatchObject({ code: 0 })
    expect(registry.tokens.at(-1)).toBe('Bearer any')
    // What was fetched before is there without the registry.
    await rm(join(here.dir, '.amodal'), { recursive: true })
    const before = registry.requests.length
    expect(await here.pkg('install', '--offline', '--frozen')).toMatchObject({ code: 0 })
    expect(registry.requests).toHaveLength(before)
    const other = await here.pkg('install', 'locked', '--offline')
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('--offline is set')])
  })

  test('send no token elsewhere', async () => {
    registry.publish('plain', '1.0.0', skill())
    const here = await desk({ '.npmrc': '//other.example/:_authToken=secret\n' })
    expect(await here.pkg('install', 'plain', '--yes')).toMatchObject({ code: 0 })
    expect(registry.tokens.at(-1)).toBeUndefined()
  })
})

describe('pkg publish and pkg search', () => {
  const PATH = process.env['PATH'] ?? ''

  test('publishes the tarball that was shown, and others find it', async () => {
    const from = await source(
      partsPackage(
        'shared-parts',
        '1.0.0',
        { ...skill(), 'notes.txt': 'x' },
        { files: ['skills'] },
      ),
    )
    const here = await desk({ '.npmrc': `registry=${registry.url}/\n${registry.auth}\n` })
    const dry = await here.run(['pkg', 'publish', from, '--dry-run'], { env: { PATH } })
    expect(dry, dry.err).toMatchObject({ code: 0 })
    expect(dry.out).toContain('skills/triage/SKILL.md')
    expect(dry.out).not.toContain('notes.txt')
    expect((await here.run(['pkg', 'publish', from], { env: { PATH } })).err).toContain(
      'PARTS_NOT_ACCEPTED',
    )
    await write(from, { '.npmrc': `${registry.auth}\n` })
    const published = await here.run(['pkg', 'publish', from, '--yes'], { env: { PATH } })
    expect(published, published.err).toMatchObject({ code: 0 })
    const found = await here.pkg('search', 'shared', '--tag', 'amodal-parts')
    expect(found, found.err).toMatchObject({ code: 0 })
    expect(found.out).toContain('shared-parts 1.0.0')
    expect(await here.pkg('install', 'shared-parts', '--yes')).toMatchObject({ code: 0 })
  })

  test.each([
    ['knowledge/a.md', `# A\n\nghp_${'a'.repeat(36)}\n`, 'a token of GitHub'],
    ['connections/crm/spec.json', '{ "token": "abcdefghijklmnop" }', 'the value of a secret'],
    ['skills/k.pem', '-', 'a file for secrets'],
  ])('stops at what looks like a secret: %s', async (path, text, what) => {
    const from = await source(partsPackage('leaky', '1.0.0', { ...skill(), [path]: text }))
    const here = await desk()
    const { code, out, err } = await here.run(['pkg', 'publish', from, '--yes'], { env: { PATH } })
    expect([code, err]).toEqual([1, expect.stringContaining('PARTS_REFUSED')])
    expect(out).toContain(`looks like ${what}`)
  })
})

test('a copy of the folder has its packages', async () => {
  registry.publish('copied', '1.0.0', skill())
  const here = await desk()
  await here.pkg('install', 'copied', '--yes')
  const copy = await mkdtemp(join(scratch, 'copy-'))
  await cp(here.dir, copy, { recursive: true })
  expect((await amodal(['validate', '--skip-test', '--dir', copy])).code).toBe(0)
})
