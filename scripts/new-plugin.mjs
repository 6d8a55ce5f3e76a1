import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { problemOfName } from '../cli/create-amodal-plugin/src/name.mjs'
import { listPlugins } from './lib/list-plugins.mjs'
import { pluginFiles } from './lib/plugin-files.mjs'
import { Stopped } from './lib/stopped.mjs'
import { installWorkspace } from './lib/workspace.mjs'

const USAGE = 'Usage: npm run new-plugin -- NAME [--dir FOLDER]'
/**
 * `npm run new-plugin -- NAME`: a plugin with its page and its test, green from the first minute.
 *
 * @param {string} root
 * @param {string} here where the person stands; `--dir` is relative to it
 * @param {import('./lib/tools.mjs').Tools} tools
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit code; rejects with `Stopped` when the name will not do
 */
export async function newPlugin(root, here, tools, args) {
  const { name, parent } = read(root, here, args)
  const folder = join(parent, name)
  for (const taken of [folder, join(root, 'plugins', name)]) {
    if (existsSync(taken))
      throw new Stopped(
        `"${name}" is taken: ${relative(here, taken) || taken} exists. Choose another name.`,
      )
  }

  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const [file, content] of Object.entries(pluginFiles(name, version))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), content)
  }
  const shown = relative(here, folder) || '.'
  if (parent === join(root, 'plugins')) {
    const listed = listPlugins(root)
    await installWorkspace(root, tools, { frozen: false })
    process.stdout.write(
      `Made ${shown}, and named it in ${listed.join(' and ')}. Next:\n${nextSteps(name, shown)}${inPreset(name)}`,
    )
  } else {
    process.stdout.write(`Made ${shown}. Next:\n${nextSteps(name, shown)}`)
  }
  return 0
}

/** @param {string} root @param {string} here @param {readonly string[]} args */
function read(root, here, args) {
  const at = args.indexOf('--dir')
  const dir = at === -1 ? undefined : args[at + 1]
  if (at !== -1 && (dir === undefined || dir.startsWith('-')))
    throw new Stopped(`--dir needs a folder.\n${USAGE}`)
  const [name, ...more] = args.filter((_, index) => at === -1 || (index !== at && index !== at + 1))
  if (name === undefined) throw new Stopped(`A plugin needs a name.\n${USAGE}`)
  if (more.length > 0) throw new Stopped(`"${more.join(' ')}" is not understood.\n${USAGE}`)
  const problem = problemOfName(name)
  if (problem !== undefined) throw new Stopped(problem)
  return { name, parent: dir === undefined ? join(root, 'plugins') : resolve(here, dir) }
}

/** @param {string} name @param {string} folder */
const nextSteps = (name, folder) => `  1. Run its tests:       npm test -- ${name}
  2. Say what it does:    ${join(folder, 'README.md')} and the comment in ${join(folder, 'src', 'index.ts')}
  3. Make it do that:     hooks, slots and registries are explained in CONTRIBUTING.md
`

/** @param {string} name */
const inPreset = (
  name,
) => `  4. Let people have it:  name "${name}" under "plugins" in an amodal.json, or put it into a list in presets/src
  5. Run every check:     npm test
`
