import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MANIFEST = 'presets/package.json'
export const TABLE = 'presets/src/builtin-plugins.ts'
const SCOPE = '@amodal/plugin-'

/**
 * @typedef {object} Listed what the package.json of a plugin of this clone says of it
 * @property {string} name
 * @property {boolean} [optIn] no preset lists it
 * @property {{ provides?: readonly string[]; adds?: readonly string[] }} [capabilities]
 */

/**
 * Names every plugin of `plugins/` where `amodal.json` looks names up, as their package.json have
 * them: in the table of builtin plugins, and among the packages that it may import.
 *
 * @param {string} root
 * @returns {string[]} the files that name them
 */
export function listPlugins(root) {
  const plugins = pluginsOf(root)
  writeFileSync(join(root, TABLE), tableOf(plugins))
  const manifest = JSON.parse(readFileSync(join(root, MANIFEST), 'utf8'))
  const others = Object.entries(manifest.dependencies ?? {}).filter(
    ([name]) => !name.startsWith(SCOPE),
  )
  const own = plugins.map(({ name }) => [`${SCOPE}${name}`, 'workspace:*'])
  manifest.dependencies = Object.fromEntries(
    [...others, ...own].sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  )
  writeFileSync(join(root, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`)
  return [TABLE, MANIFEST]
}

/** @param {string} root @returns {readonly Listed[]} */
export const pluginsOf = (root) =>
  readdirSync(join(root, 'plugins'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      ...JSON.parse(readFileSync(join(root, 'plugins', name, 'package.json'), 'utf8')).amodal,
      name,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))

/** @param {readonly Listed[]} plugins */
export function tableOf(plugins) {
  const registries = new Set(plugins.flatMap(({ capabilities }) => capabilities?.adds ?? []))
  /** @type {Map<string, string[]>} */
  const providers = new Map()
  for (const { name, capabilities } of plugins) {
    for (const id of capabilities?.provides ?? []) {
      if (!registries.has(id)) providers.set(id, [...(providers.get(id) ?? []), name])
    }
  }
  const slots = [...providers].sort(([a], [b]) => (a < b ? -1 : 1))
  const optIn = plugins.filter(({ optIn }) => optIn === true).map(({ name }) => name)
  return `// Made from the package.json of each plugin: \`node tests/docs/generate.ts\`.
import type { Load } from './load.ts'

/** Plugins that \`plugins\` in amodal.json may name without a path or package. */
export const PLUGINS: Readonly<Record<string, Load<unknown>>> = {
${plugins.map(({ name }) => `  ${keyOf(name)}: () => import('${SCOPE}${name}'),\n`).join('')}}

/** Who fills a slot, for the fix in "nothing provides X". */
export const PROVIDERS: Readonly<Record<string, readonly string[]>> = {
${slots.map(([id, names]) => `  ${keyOf(id)}: ${listOf(names)},\n`).join('')}}

/** Builtin plugins that no preset lists, for those who name them in amodal.json. */
export const OPT_IN: readonly string[] = ${listOf(optIn)}
`
}

/** @param {string} name */
const keyOf = (name) => (/^[a-z]\w*$/i.test(name) ? name : `'${name}'`)
/** @param {readonly string[]} names */
const listOf = (names) => `[${names.map((name) => `'${name}'`).join(', ')}]`
