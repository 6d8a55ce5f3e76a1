#!/usr/bin/env node
/**
 * `npm create amodal-plugin NAME`: a package of its own with a plugin, its page, its test and an
 * agent to try it with, green from the first minute.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { problemOfName } from './name.mjs'
import { pluginFiles } from './plugin-files.mjs'

const USAGE =
  'Usage: npm create amodal-plugin NAME\n\nNAME is that of the plugin, such as weather; @scope/weather makes a package of a scope.\n'

/** @param {string} problem */
function stop(problem) {
  process.stderr.write(`${problem}\n${USAGE}`)
  process.exit(2)
}

const [given = '', ...more] = process.argv.slice(2)
if (given === '--help' || given === '-h') {
  process.stdout.write(USAGE)
  process.exit(0)
}
if (given === '') stop('A plugin needs a name.')
if (more.length > 0) stop(`"${more.join(' ')}" is not understood.`)

const [, scope, own = ''] = /^(?:(@[a-z0-9][\w.-]*)\/)?(.+)$/.exec(given) ?? []
const name = basename(own).replace(/^amodal-plugin-/, '')
const problem = problemOfName(name)
if (problem !== undefined) stop(problem)

const folder = resolve(dirname(own), `amodal-plugin-${name}`)
const shown = relative(process.cwd(), folder)
if (existsSync(folder) && readdirSync(folder).length > 0)
  stop(`${shown} is there, and not empty. Choose another name.`)

/** @type {{ version: string }} */
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const packageName = `${scope === undefined ? '' : `${scope}/`}amodal-plugin-${name}`
for (const [file, content] of Object.entries(pluginFiles(name, packageName, version))) {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), content)
}
process.stdout.write(`Made ${shown}. Next:

  cd ${shown}
  npm install
  npm test        runs its tests: the contract of all plugins, and one turn of an agent
  npm start       serves agent/, which uses it, on http://127.0.0.1:3847

What it adds stands in src/index.ts.
`)
