import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { declareRepository, followVersion, publishedFolders } from '../scripts/lib/releases.mjs'

const root = join(import.meta.dirname, '..')
const folders = publishedFolders(root)

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license?: string
  readonly files?: readonly string[]
  readonly engines?: { readonly node?: string }
  readonly publishConfig?: { readonly access?: string }
  readonly repository?: object
}
const manifestOf = (folder: string, tree = root): Manifest =>
  JSON.parse(readFileSync(join(tree, folder, 'package.json'), 'utf8'))
const published = folders.map((folder) => manifestOf(folder))
const [one] = new Set(published.map(({ version }) => version))

test.each(published.map((manifest) => [manifest.name, manifest] as const))(
  '%s says what a published package has to say',
  (_, { private: isPrivate, version, license, files, engines, publishConfig }) => {
    expect({ isPrivate, version, license, engines, publishConfig }).toEqual({
      isPrivate: undefined,
      version: one,
      license: 'MIT',
      engines: { node: '>=22.18' },
      publishConfig: { access: 'public' },
    })
    expect(files).not.toHaveLength(0)
  },
)

test('all other packages of the workspace are private', () => {
  const examples = readdirSync(join(root, 'examples'))
    .map((name) => `examples/${name}`)
    // an agent is no package, and the package of somebody else is no part of the workspace
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .filter((folder) => folder !== 'examples/third-party-plugin')
  const others = ['', 'tests', ...examples].map((folder) => manifestOf(folder))
  expect(others.filter((manifest) => manifest.private !== true)).toEqual([])
})

test('the version stands nowhere else than `followVersion` knows', () => {
  for (const folder of folders.filter((name) => name.startsWith('plugins/')))
    expect(readFileSync(join(root, folder, 'src/index.ts'), 'utf8'), folder).toContain(
      `\n  version: '${one}',\n`,
    )
  expect(manifestOf('').version).toBe(one)
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(`\nVersion ${one}. `)
})

/** By the real command line of Changesets, in a copy of the manifests. */
describe('a release', () => {
  const tree = mkdtempSync(join(tmpdir(), 'amodal-release-'))
  afterAll(() => rmSync(tree, { recursive: true, force: true }))
  beforeAll(() => {
    const kept = [
      ...[...folders, '.', 'tests', 'examples/third-party-plugin'].map(
        (one) => `${one}/package.json`,
      ),
      ...folders.filter((one) => one.startsWith('plugins/')).map((one) => `${one}/src/index.ts`),
      '.changeset/config.json',
      'pnpm-workspace.yaml',
      'pnpm-lock.yaml',
      'README.md',
    ]
    for (const file of kept) cpSync(join(root, file), join(tree, file))
    writeFileSync(
      join(tree, '.changeset/hooks-have-names.md'),
      "---\n'@amodal/kernel': minor\n---\n\nHooks have names.\n",
    )
    execFileSync(process.execPath, [join(root, 'node_modules/@changesets/cli/bin.js'), 'version'], {
      cwd: tree,
    })
  })

  test('gives all packages the same next version, whichever of them is named', () => {
    const before = one?.split('.').map(Number) ?? []
    const next = `${before[0]}.${(before[1] ?? 0) + 1}.0`
    expect(folders.map((folder) => manifestOf(folder, tree).version)).toEqual(
      folders.map(() => next),
    )
    expect(manifestOf('tests', tree).version).toBeUndefined()
    expect(readdirSync(join(tree, '.changeset'))).toEqual(['config.json'])

    expect(followVersion(tree)).toBe(next)
    expect(manifestOf('', tree).version).toBe(next)
    for (const file of ['plugins/prompt/src/index.ts', 'plugins/loop/src/index.ts'])
      expect(readFileSync(join(tree, file), 'utf8')).toContain(`  version: '${next}',\n`)
    expect(readFileSync(join(tree, 'README.md'), 'utf8')).toContain(`\nVersion ${next}. `)
    const stranger = readFileSync(join(tree, 'examples/third-party-plugin/package.json'), 'utf8')
    expect(stranger).toContain(`"@amodal/sdk": "^${next}"`)
    expect(stranger).not.toContain(`^${one}`)
    expect(stranger).toContain('"version": "1.0.0"') // its own
  })

  test('says where packages come from, which only the place knows that makes it', () => {
    expect(published.filter(({ repository }) => repository !== undefined)).toEqual([])
    declareRepository(tree, 'https://git.example/them/agents')
    expect(manifestOf('plugins/http', tree).repository).toEqual({
      type: 'git',
      url: 'git+https://git.example/them/agents.git',
      directory: 'plugins/http',
    })
  })

  test('is published by who npm trusts, with provenance and without a token', () => {
    const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')
    expect(workflow).toMatch(/^ {6}id-token: write$/m)
    expect(workflow).toMatch(/^ {10}NPM_CONFIG_PROVENANCE: 'true'$/m)
    expect(workflow).toMatch(/^ {4}needs: test$/m)
    expect(workflow).not.toContain('secrets.')
  })
})

test('workflows run the one command, and take actions by their hash', () => {
  const texts = readdirSync(join(root, '.github/workflows')).map((name) =>
    readFileSync(join(root, '.github/workflows', name), 'utf8'),
  )
  expect(texts).toHaveLength(2)
  for (const text of texts) {
    expect(text).toMatch(/- run: npm test( -- --all)?$/m)
    for (const [, action] of text.matchAll(/uses: (\S+)/g)) expect(action).toMatch(/@[0-9a-f]{40}$/)
  }
})
