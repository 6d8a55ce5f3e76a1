/**
 * The one door behind `npm start`, `npm test` and `npm run amodal | bench | pnpm | pack | docs |
 * new-plugin | changeset`.
 *
 * Plain JavaScript without dependencies, because it runs before anything is installed and on a Node
 * that may be too old for the project: it fetches the tools, installs the workspace when its
 * manifests changed, and hands over.
 */
import { cpSync, existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { changeset } from './changeset.mjs'
import { check } from './check.mjs'
import { runChild } from './lib/child.mjs'
import { Stopped } from './lib/stopped.mjs'
import { prepareTools } from './lib/tools.mjs'
import { buildPackages, installWorkspace } from './lib/workspace.mjs'
import { newPlugin } from './new-plugin.mjs'
import { pack } from './pack.mjs'

/** @typedef {import('./lib/tools.mjs').Tools} Tools */

const root = dirname(dirname(fileURLToPath(import.meta.url)))
// where the person stands; npm itself moves to the root
const here = process.env.INIT_CWD ?? process.cwd()
const bin = join(root, 'cli', 'dist', 'bin.js')

/** What is run is what stands in the sources. @param {Tools} tools */
async function ready(tools) {
  await installWorkspace(root, tools)
  await buildPackages(root, tools)
}

/** @type {Record<string, (tools: Tools, args: string[]) => Promise<number>>} */
const commands = {
  async start(tools, args) {
    await ready(tools)
    const agent = join(root, 'examples', 'ops-agent')
    const dir = args.includes('--dir') ? [] : ['--dir', relative(here, agent) || '.']
    return runChild(tools.node, [bin, 'dev', ...dir, ...args], { cwd: here, env: tools.env })
  },
  async amodal(tools, args) {
    await ready(tools)
    return runChild(tools.node, [bin, ...args], { cwd: here, env: tools.env })
  },
  async test(tools, args) {
    await ready(tools)
    return check(root, tools, args)
  },
  async bench(tools, args) {
    await ready(tools)
    return runChild(tools.node, [join(root, 'tests', 'bench', 'run.ts'), ...args], {
      cwd: root,
      env: tools.env,
    })
  },
  async pnpm(tools, args) {
    if (['exec', 'run', 'test', 'start'].includes(args[0] ?? ''))
      await installWorkspace(root, tools)
    return runChild(tools.pnpm, args, {
      cwd: existsSync(join(here, 'package.json')) ? here : root,
      env: tools.env,
    })
  },
  async pack(tools, args) {
    await ready(tools)
    return pack(root, here, tools, args)
  },
  async format(tools, args) {
    await installWorkspace(root, tools)
    const oxfmt = join(root, 'node_modules', 'oxfmt', 'bin', 'oxfmt')
    return runChild(tools.node, [oxfmt, ...args], { cwd: root, env: tools.env })
  },
  async docs(tools, args) {
    await installWorkspace(root, tools)
    // its packages stay out of the folder of the pages
    const site = join(root, '.tools', 'site', 'builder')
    cpSync(join(root, 'docs', 'site'), site, { recursive: true })
    const install = ['install', '--ignore-workspace', '--ignore-scripts', '--frozen-lockfile']
    const code = await runChild(tools.pnpm, install, { cwd: site, env: tools.env })
    if (code !== 0) return code
    const build = [join(site, 'build.mjs'), root, ...args]
    return runChild(tools.node, build, { cwd: root, env: tools.env })
  },
  async 'new-plugin'(tools, args) {
    return newPlugin(root, here, tools, args)
  },
  async changeset(tools, args) {
    await ready(tools)
    return changeset(root, tools, args)
  },
}

const [name = '', ...args] = process.argv.slice(2)
const command = Object.hasOwn(commands, name) ? commands[name] : undefined
try {
  if (command === undefined)
    throw new Stopped(`unknown command "${name}"; there are: ${Object.keys(commands).join(', ')}`)
  process.exitCode = await command(await prepareTools(root), args)
} catch (error) {
  if (!(error instanceof Stopped)) throw error
  if (error.message !== '') process.stderr.write(`${error.message}\n`)
  process.exitCode = error.exitCode
}
