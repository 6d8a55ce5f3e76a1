import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PLUGINS } from '@amodal/presets'
import knowledge from '@amodal/plugin-knowledge'
import prompt from '@amodal/plugin-prompt'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import skills from '@amodal/plugin-skills'
import { isPlugin, use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const example = join(root, 'examples/ops-agent')

// Those that have nothing of their own to add to the contract of all plugins.
pluginContract(prompt, { config: { window: 100_000 } })
pluginContract(skills, { config: {}, with: [use(prompt)] })
pluginContract(knowledge, { config: {}, with: [use(prompt)] })
pluginContract(repoFiles, { config: { dir: example }, with: [use(secretsEnv, { env: {} })] })

/** The kit that a provider of a slot goes through. */
const KITS: Readonly<Record<string, string>> = {
  database: 'databaseContract',
  'session-store': 'sessionStoreContract',
  'store-backend': 'storeContract',
}

describe('every builtin goes through its kits, through the public import path', () => {
  const testsIn = (folder: string): string =>
    readdirSync(join(root, folder), { recursive: true })
      .map(String)
      .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
      .map((file) => readFileSync(join(root, folder, file), 'utf8'))
      .join('\n')
  const here = testsIn('tests/contracts')

  test.each(Object.entries(PLUGINS))('%s', async (name, load) => {
    const { default: plugin } = await load()
    if (!isPlugin(plugin)) throw new Error(`${name} is no plugin`)
    const own = testsIn(`plugins/${name}/test`)
    expect(own + here).toContain("from '@amodal/sdk/testing'")
    const camel = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    expect(
      /\b(plugin|keyedProvider)Contract\(/.test(own) || here.includes(`pluginContract(${camel},`),
      'pluginContract',
    ).toBe(true)
    for (const { id } of plugin.provides) {
      const kit = KITS[id]
      if (kit !== undefined) expect(own, kit).toContain(`${kit}(`)
      if (id === 'models' && name !== 'model-demo')
        expect(own).toMatch(/\b(provider|keyedProvider)Contract\(/)
    }
  })
})
