#!/usr/bin/env node
/**
 * `npm create amodal my-agent`: the folder that `amodal init` makes, with a `package.json` that
 * brings the command line.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'

const manifestFile = createRequire(import.meta.url).resolve('amodal/package.json')
/** @type {{ version: string }} */
const { version } = JSON.parse(readFileSync(manifestFile, 'utf8'))
const args = process.argv.slice(2)
const [name] = args

const init = [join(dirname(manifestFile), 'dist/bin.js'), 'init', ...args]
const command = spawnSync(process.execPath, init, { stdio: 'inherit' })
if (command.status !== 0 || name === undefined || name.startsWith('-'))
  process.exit(command.status ?? 1)

const folder = resolve(name)
const file = join(folder, 'package.json')
if (existsSync(folder) && !existsSync(file)) {
  const manifest = {
    name: basename(folder)
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-'),
    private: true,
    scripts: { start: 'amodal dev', chat: 'amodal chat', validate: 'amodal validate' },
    dependencies: { amodal: `^${version}` },
  }
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`)
}
process.stdout.write(`\nWith npm:\n  cd ${name}\n  npm install\n  npm start\n`)
