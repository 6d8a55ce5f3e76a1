import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cruise, type ICruiseOptions } from 'dependency-cruiser'
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import { afterEach, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const options = await extractOptions(join(root, '.dependency-cruiser.cjs'))
const layers = ['kernel', 'sdk', 'plugins', 'presets', 'cli', 'examples', 'tests', 'scripts']

/**
 * Check a tree against the rules of `.dependency-cruiser.cjs`; every violation as `rule: from →
 * to`.
 */
async function violations(tree: string): Promise<string[]> {
  const checked: ICruiseOptions = { ...options, baseDir: tree, validate: true }
  const { output } = await cruise(
    layers.filter((layer) => existsSync(join(tree, layer))),
    checked,
  )
  if (typeof output === 'string') throw new Error(output)
  expect(output.summary.totalDependenciesCruised).toBeGreaterThan(0)
  return output.summary.violations.map(
    (violation) => `${violation.rule.name}: ${violation.from} → ${violation.to}`,
  )
}

/** ms for reading every import of the repository, also on a busy machine. */
const READING_MS = 600_000

test(
  'the layers hold: examples, tests → presets → plugins → sdk → kernel',
  async () => {
    expect(await violations(root)).toEqual([])
  },
  READING_MS,
)

describe('a planted violation is caught', () => {
  let tree: string | undefined
  afterEach(() => {
    if (tree !== undefined) rmSync(tree, { recursive: true, force: true })
  })

  test('and a tree that keeps every rule passes', async () => {
    tree = plant({})
    expect(await violations(tree)).toEqual([])
  })

  /** Rule → the file that breaks it, what that imports, and where the import leads. */
  const planted: Record<string, readonly [file: string, line: string, to: string]> = {
    'no-cycles': ['kernel/src/result.ts', "import './index.ts'", 'kernel/src/result.ts'],
    'no-unresolvable': ['plugins/memory/src/index.ts', "import 'left-pad'", 'left-pad'],
    'kernel-is-the-bottom': [
      'kernel/test/kernel.test.ts',
      "import '@amodal/sdk'",
      'sdk/src/index.ts',
    ],
    'kernel-stands-alone': ['kernel/src/result.ts', "import 'hono'", 'node_modules/hono/index.js'],
    'sdk-sees-only-kernel': [
      'sdk/src/index.ts',
      "import '@amodal/plugin-stores/tokens'",
      'plugins/stores/src/tokens.ts',
    ],
    'react-sees-only-the-client': [
      'sdk/react/src/index.ts',
      "import '@amodal/sdk'",
      'sdk/src/index.ts',
    ],
    'client-stands-without-react': [
      'sdk/src/client/index.ts',
      "import '@amodal/react'",
      'sdk/react/src/index.ts',
    ],
    'plugins-see-only-sdk': [
      'plugins/memory/src/index.ts',
      "import type {} from '@amodal/kernel'",
      'kernel/src/index.ts',
    ],
    'plugins-share-only-tokens': [
      'plugins/memory/src/index.ts',
      "import '@amodal/plugin-stores'",
      'plugins/stores/src/index.ts',
    ],
    'plugin-tests-use-front-doors': [
      'plugins/memory/test/memory.test.ts',
      "import '../../stores/src/rows.ts'",
      'plugins/stores/src/rows.ts',
    ],
    'presets-below-examples': [
      'presets/src/index.ts',
      "import '../../examples/hello/main.ts'",
      'examples/hello/main.ts',
    ],
    'examples-stand-alone': [
      'examples/hello/main.ts',
      "import '../../tests/support/server.ts'",
      'tests/support/server.ts',
    ],
    'front-doors-only': [
      'presets/src/index.ts',
      "import '../../plugins/stores/src/rows.ts'",
      'plugins/stores/src/rows.ts',
    ],
    'plugins-use-front-doors': [
      'plugins/memory/src/index.ts',
      "import '../../../sdk/src/ports/store.ts'",
      'sdk/src/ports/store.ts',
    ],
    'test-kits-only-in-tests': [
      'plugins/memory/src/index.ts',
      "import '@amodal/sdk/testing'",
      'sdk/src/testing/index.ts',
    ],
    'tapable-in-one-place': [
      'kernel/src/result.ts',
      "import 'tapable'",
      'node_modules/tapable/index.js',
    ],
    'awilix-in-one-file': [
      'kernel/src/hooks/hook.ts',
      "import 'awilix'",
      'node_modules/awilix/index.js',
    ],
    'zod-3-in-one-place': [
      'plugins/memory/src/index.ts',
      "import 'zod-to-json-schema'",
      'node_modules/zod-to-json-schema/index.js',
    ],
    'no-second-loop': ['plugins/memory/src/index.ts', "import 'ai'", 'node_modules/ai/index.js'],
  }

  test.each(Object.entries(planted))('%s', async (rule, [file, line, to]) => {
    tree = plant({ [file]: line })
    expect(await violations(tree)).toContainEqual(
      expect.stringMatching(new RegExp(`^${rule}: .* → ${to}$`)),
    )
  })

  test('for every rule there is', () => {
    expect(Object.keys(planted).sort()).toEqual(
      options.ruleSet?.forbidden?.map((rule) => rule.name).sort(),
    )
  })

  test.each([
    [
      'a plugin that reaches into the kernel by path',
      'plugins/memory/src/index.ts',
      "import '../../../kernel/src/result.ts'",
      'plugins-see-only-sdk',
    ],
    [
      'a circle of types',
      'kernel/src/container.ts',
      "import type {} from './index.ts'",
      'no-cycles',
    ],
    [
      'a dynamic import',
      'plugins/memory/src/index.ts',
      "void import('@amodal/plugin-stores')",
      'plugins-share-only-tokens',
    ],
    [
      'a re-export',
      'plugins/memory/src/tokens.ts',
      "export * from '@amodal/presets'",
      'plugins-see-only-sdk',
    ],
    [
      'a preset test that looks into a plugin',
      'presets/test/presets.test.ts',
      "import '../../plugins/stores/src/rows.ts'",
      'front-doors-only',
    ],
    [
      'a plugin test that uses the kernel',
      'plugins/memory/test/memory.test.ts',
      "import '@amodal/kernel'",
      'plugins-see-only-sdk',
    ],
  ])('also as %s', async (_, file, line, rule) => {
    tree = plant({ [file]: line })
    expect(await violations(tree)).toContainEqual(expect.stringContaining(`${rule}: ${file}`))
  })
})

/**
 * A small workspace with one of everything that is allowed, and the given lines added to its files.
 */
function plant(lines: Readonly<Record<string, string>>): string {
  const tree = realpathSync(mkdtempSync(join(tmpdir(), 'amodal-layers-')))
  const files: Record<string, string> = {
    'kernel/src/index.ts':
      "export * from './result.ts'\nimport './hooks/hook.ts'\nimport './container.ts'",
    'kernel/src/result.ts': "import { z } from 'zod'",
    'kernel/src/hooks/hook.ts': "import 'tapable'",
    'kernel/src/container.ts': "import 'awilix'",
    'kernel/test/kernel.test.ts': "import '../src/result.ts'\nimport 'hono'",
    'sdk/src/index.ts':
      "export * from '@amodal/kernel'\nimport './ports/store.ts'\nimport 'zod-to-json-schema'\nimport type {} from '@ai-sdk/provider'",
    'sdk/src/ports/store.ts': 'export const store = 1',
    'sdk/src/client/index.ts': 'export const client = 1',
    'sdk/react/src/index.ts': "import '@amodal/sdk/client'",
    'sdk/src/database/index.ts': 'export const database = 1',
    'sdk/src/testing/index.ts': "import '../index.ts'",
    'plugins/stores/src/index.ts': "import './rows.ts'",
    'plugins/stores/src/rows.ts': "import './tokens.ts'\nimport '@amodal/sdk/database'",
    'plugins/stores/src/tokens.ts': "import '@amodal/sdk'",
    'plugins/memory/src/index.ts':
      "import '@amodal/sdk'\nimport '@amodal/plugin-stores/tokens'\nimport 'hono'",
    'plugins/memory/src/tokens.ts': "import '@amodal/sdk'",
    'plugins/memory/test/memory.test.ts':
      "import '../src/index.ts'\nimport '@amodal/sdk/testing'\nimport '@amodal/plugin-stores'",
    'presets/src/index.ts':
      "import './cli.ts'\nimport '@amodal/plugin-memory'\nimport '@amodal/sdk'\nimport '@amodal/kernel'",
    'presets/src/cli.ts': 'export const cli = 1',
    'presets/test/presets.test.ts': "import '../src/cli.ts'\nimport '@amodal/sdk/testing'",
    'examples/hello/main.ts': "import '@amodal/presets'\nimport 'ai'",
    'tests/layers.test.ts':
      "import './support/server.ts'\nimport '@amodal/presets'\nimport '@amodal/plugin-stores'",
    'tests/support/server.ts': 'export const server = 1',
  }
  for (const [file, line] of Object.entries(lines)) files[file] = `${line}\n${files[file] ?? ''}`
  const packages = {
    kernel: 'kernel',
    sdk: 'sdk',
    react: 'sdk/react',
    presets: 'presets',
    'plugin-stores': 'plugins/stores',
    'plugin-memory': 'plugins/memory',
  }
  for (const [name, folder] of Object.entries(packages)) {
    const exports = {
      '.': './src/index.ts',
      './tokens': './src/tokens.ts',
      './client': './src/client/index.ts',
      './database': './src/database/index.ts',
      './testing': './src/testing/index.ts',
    }
    files[`${folder}/package.json`] = JSON.stringify({
      name: `@amodal/${name}`,
      type: 'module',
      exports,
    })
  }
  for (const name of [
    'tapable',
    'awilix',
    'zod',
    'hono',
    'ai',
    'zod-to-json-schema',
    '@ai-sdk/provider',
  ]) {
    files[`node_modules/${name}/package.json`] = JSON.stringify({
      name,
      type: 'module',
      exports: './index.js',
    })
    files[`node_modules/${name}/index.js`] = 'export const z = 1'
  }
  files['package.json'] = JSON.stringify({ type: 'module' })
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, file)), { recursive: true })
    writeFileSync(join(tree, file), content)
  }
  mkdirSync(join(tree, 'node_modules/@amodal'))
  for (const [name, folder] of Object.entries(packages))
    symlinkSync(join('../..', folder), join(tree, 'node_modules/@amodal', name))
  return tree
}
