import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Stopped } from './stopped.mjs'

const MANIFEST = 'presets/package.json'
const TABLE = 'presets/src/builtin.ts'
const OPT_IN = /^(export const OPT_IN: readonly string\[\] = \[)([^\]]*)\]/m
const ROW = /^ {2}'?[a-z0-9-]+'?: \(\) => import\('@amodal\/plugin-[a-z0-9-]+'\),\n/gm

/**
 * Name a plugin where `amodal.json` looks names up: in the table of builtin plugins, in
 * alphabetical order, among the packages that the table may import, and as one that no preset lists
 * yet.
 *
 * @param {string} root
 * @param {string} name
 * @returns {string[]} the files that name it now; rejects with `Stopped` where the table is not
 *   what it was
 */
export function listPlugin(root, name) {
  const table = existsSync(join(root, TABLE)) ? readFileSync(join(root, TABLE), 'utf8') : ''
  const rows = table.match(ROW)
  if (rows === null)
    throw new Stopped(
      `No list of plugins was found in ${TABLE}: add "${name}" by hand, as CONTRIBUTING.md says.`,
    )
  const key = name.includes('-') ? `'${name}'` : name
  const sorted = [...rows, `  ${key}: () => import('@amodal/plugin-${name}'),\n`].sort((a, b) =>
    bare(a) < bare(b) ? -1 : 1,
  )
  writeFileSync(
    join(root, TABLE),
    table
      .replace(rows.join(''), sorted.join(''))
      .replace(
        OPT_IN,
        (_, before, names) => `${before}${names}${names === '' ? '' : ', '}'${name}']`,
      ),
  )

  const manifest = JSON.parse(readFileSync(join(root, MANIFEST), 'utf8'))
  manifest.dependencies = { ...manifest.dependencies, [`@amodal/plugin-${name}`]: 'workspace:*' }
  writeFileSync(join(root, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`)
  return [TABLE, MANIFEST]
}

/** @param {string} row */
const bare = (row) => row.slice(0, row.indexOf(':')).replace(/'/g, '').trim()
